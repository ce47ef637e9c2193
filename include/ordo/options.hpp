/* options.hpp - options of calls by designated initialisers. ordo.hpp includes this file. */
#ifndef ORDO_OPTIONS_HPP
#define ORDO_OPTIONS_HPP

#include "types.hpp"

namespace ordo
{

/* ---- Options ---------------------------------------------------------------------------- */

/* The fields are those of ordo.h; flags are bools. All defaults are those of the library.        */
struct context_options {
    ordo_where    where = ORDO_AUTO;
    std::uint32_t threads = 0;
    std::size_t   mem_limit = 0;
    std::uint64_t device = 0;
    std::size_t   device_limit = 0;
    double        cpu_share = 0;
};

/* The weights of keys, one for each key; see ordo_windows.h. The range must outlive the call.     */
struct weights {
    void const *data = nullptr;
    ordo_type   type{}; /* 0: no weights                                                          */
    std::size_t size = 0;

    weights() = default;
    template <keys R>
    requires(!std::same_as<std::remove_cvref_t<R>, weights>) weights(R const &w)
        : data(std::ranges::data(w)), type(type_of_v<key_of<R>>),
          size(static_cast<std::size_t>(std::ranges::size(w)))
    {
    }
};

struct sort_options {
    bool                 descending = false;
    bool                 stable = false;
    bool                 on_device = false;
    ordo_algorithm       algorithm = ORDO_ALGORITHM_AUTO;
    std::uint64_t        radius = 0;
    void                *stream = nullptr;
    ordo_segments const *segments = nullptr;
};

struct rank_options {
    bool                 descending = false;
    bool                 check = false;
    bool                 on_device = false;
    ordo_ties            ties = ORDO_TIES_MIN;
    ordo_algorithm       algorithm = ORDO_ALGORITHM_AUTO;
    void                *stream = nullptr;
    ordo_segments const *segments = nullptr;
    ordo::weights        weights{};
};

struct select_options {
    bool                 descending = false;
    bool                 on_device = false;
    ordo_nans            nans = ORDO_NANS_LAST;
    ordo_algorithm       algorithm = ORDO_ALGORITHM_AUTO;
    std::uint64_t        sub_array = 0;
    void                *stream = nullptr;
    ordo_segments const *segments = nullptr;
    bool                 any_order = false; /* of nth */
};

struct quantile_options {
    bool                 on_device = false;
    ordo_nans            nans = ORDO_NANS_LAST;
    ordo_method          method = ORDO_METHOD_DEFAULT;
    ordo_algorithm       algorithm = ORDO_ALGORITHM_AUTO;
    std::uint64_t        sub_array = 0;
    void                *stream = nullptr;
    ordo_segments const *segments = nullptr;
    ordo::weights        weights{};
};

struct scan_options {
    bool                 exclusive = false;
    bool                 on_device = false;
    ordo_algorithm       algorithm = ORDO_ALGORITHM_AUTO;
    void                *stream = nullptr;
    ordo_segments const *segments = nullptr;
};

struct order_options {
    bool                 descending = false;
    bool                 on_device = false;
    ordo_algorithm       algorithm = ORDO_ALGORITHM_AUTO;
    void                *stream = nullptr;
    ordo_segments const *segments = nullptr;
};

struct moving_options {
    bool                 descending = false;
    bool                 on_device = false;
    bool                 center = false;
    std::size_t          min_periods = 0;
    double               q = 0;
    ordo_nans            nans = ORDO_NANS_LAST;
    ordo_method          method = ORDO_METHOD_DEFAULT;
    ordo_ties            ties = ORDO_TIES_MIN;
    void                *stream = nullptr;
    ordo_segments const *segments = nullptr;
};

/* Of calls on groups. key_nans says what happens to NaNs among the keys, group_nans what happens to
 * rows whose group is NaN.                                                                       */
struct group_options {
    bool          descending = false;
    ordo_ties     ties = ORDO_TIES_MIN;
    ordo_nans     key_nans = ORDO_NANS_LAST;
    ordo_nans     group_nans = ORDO_NANS_LAST;
    ordo_method   method = ORDO_METHOD_DEFAULT;
    ordo::weights weights{}; /* of quantiles and medians */
};

struct partition_options {
    bool  unset_first = false;
    bool  on_device = false;
    void *stream = nullptr;
};

/* Of gather and scatter.                                                                         */
struct move_options {
    bool  on_device = false;
    void *stream = nullptr;
};

struct generator_options {
    std::uint64_t seed = 0;
    std::uint64_t k = 0;
    double        p = 0;
};

namespace detail
{

template <class Opts> Opts sized() noexcept
{
    Opts opts{};
    opts.struct_size = sizeof opts;
    return opts;
}

constexpr std::uint64_t bit(bool set, std::uint64_t flag) noexcept { return set ? flag : 0; }

/* What all options structs of calls have in common.                                              */
template <class Opts, class From> Opts common(From const &from, std::uint64_t flags) noexcept
{
    auto opts = sized<Opts>();
    opts.flags = flags | bit(from.on_device, ORDO_ON_DEVICE);
    opts.algorithm = from.algorithm;
    opts.stream = from.stream;
    opts.segments = from.segments;
    return opts;
}

inline ordo_sort_opts to_c(sort_options const &o) noexcept
{
    auto opts =
        common<ordo_sort_opts>(o, bit(o.descending, ORDO_DESCENDING) | bit(o.stable, ORDO_STABLE));
    opts.radius = o.radius;
    return opts;
}

inline ordo_rank_opts to_c(rank_options const &o) noexcept
{
    auto opts =
        common<ordo_rank_opts>(o, bit(o.descending, ORDO_DESCENDING) | bit(o.check, ORDO_CHECK));
    opts.ties = o.ties;
    opts.weights = o.weights.data;
    opts.weight_type = o.weights.type;
    return opts;
}

inline ordo_select_opts to_c(select_options const &o) noexcept
{
    auto opts = common<ordo_select_opts>(o, bit(o.descending, ORDO_DESCENDING) |
                                                bit(o.any_order, ORDO_ANY_ORDER));
    opts.nans = o.nans;
    opts.sub_array = o.sub_array;
    return opts;
}

inline ordo_quantile_opts to_c(quantile_options const &o) noexcept
{
    auto opts = common<ordo_quantile_opts>(o, 0);
    opts.nans = o.nans;
    opts.method = o.method;
    opts.sub_array = o.sub_array;
    opts.weights = o.weights.data;
    opts.weight_type = o.weights.type;
    return opts;
}

inline ordo_scan_opts to_c(scan_options const &o) noexcept
{
    return common<ordo_scan_opts>(o, bit(o.exclusive, ORDO_EXCLUSIVE));
}

inline ordo_order_opts to_c(order_options const &o) noexcept
{
    return common<ordo_order_opts>(o, bit(o.descending, ORDO_DESCENDING));
}

inline ordo_moving_opts to_c(moving_options const &o) noexcept
{
    auto opts = sized<ordo_moving_opts>();
    opts.flags = bit(o.descending, ORDO_DESCENDING) | bit(o.on_device, ORDO_ON_DEVICE);
    opts.min_periods = o.min_periods;
    opts.q = o.q;
    opts.nans = o.nans;
    opts.method = o.method;
    opts.ties = o.ties;
    opts.center = o.center ? 1 : 0;
    opts.segments = o.segments;
    opts.stream = o.stream;
    return opts;
}

inline ordo_group_opts to_c(group_options const &o) noexcept
{
    auto opts = sized<ordo_group_opts>();
    opts.flags = bit(o.descending, ORDO_DESCENDING);
    opts.ties = o.ties;
    opts.nans = o.key_nans;
    opts.method = o.method;
    opts.weights = o.weights.data;
    opts.weight_type = o.weights.type;
    return opts;
}

inline ordo_partition_opts to_c(partition_options const &o) noexcept
{
    auto opts = sized<ordo_partition_opts>();
    opts.flags = bit(o.unset_first, ORDO_UNSET_FIRST) | bit(o.on_device, ORDO_ON_DEVICE);
    opts.stream = o.stream;
    return opts;
}

inline ordo_move_opts to_c(move_options const &o) noexcept
{
    auto opts = sized<ordo_move_opts>();
    opts.flags = bit(o.on_device, ORDO_ON_DEVICE);
    opts.stream = o.stream;
    return opts;
}

inline ordo_gen_opts to_c(generator_options const &o) noexcept
{
    auto opts = sized<ordo_gen_opts>();
    opts.seed = o.seed;
    opts.k = o.k;
    opts.p = o.p;
    return opts;
}

/* How many arrays a call works on.                                                               */
template <class Options> std::size_t parts(Options const &o) noexcept
{
    return o.segments != nullptr ? o.segments->count : 1;
}

} // namespace detail

} // namespace ordo

#endif
