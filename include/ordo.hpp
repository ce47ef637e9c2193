/* ordo.hpp - ordo.h for C++20: ranges, deduced types, options by designated initialisers.
 *
 *   #include <ordo.hpp>
 *   ordo::context ctx;                                   // all CPUs; a GPU if that is faster
 *   ctx.sort(scores, {.descending = true});              // any contiguous range of numbers
 *   auto ranks = ctx.rank<double>(scores, {.ties = ORDO_TIES_AVERAGE});
 *
 * Methods of ordo::context throw ordo::error. Those of ordo::try_context throw nothing but
 * std::bad_alloc for vectors that they return; they return an ordo::expected, which is
 * std::expected where the library has it (C++23). The header only calls functions of ordo.h, where
 * their contracts are; get() gives the C context for all calls that have no method here.       */
#ifndef ORDO_HPP
#define ORDO_HPP

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <ranges>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>
#include <version>
#if defined(__cpp_lib_expected)
#include <expected>
#endif

#include "ordo.h"

namespace ordo
{

/* ---- Types ------------------------------------------------------------------------------ */

/* A type that the library can order: integers of 8 to 64 bits (char and long long too), float and
 * double; not bool, wide characters or long double.                                              */
template <class T>
concept key = (std::integral<T> && sizeof(T) <= 8 && !std::same_as<T, bool> &&
               !std::same_as<T, wchar_t> && !std::same_as<T, char8_t> &&
               !std::same_as<T, char16_t> && !std::same_as<T, char32_t>) ||
              std::same_as<T, float> || std::same_as<T, double>;

/* An integer type for indices: 32 or 64 bits, of either sign.                                    */
template <class T>
concept index = key<T> && std::integral<T> && sizeof(T) >= 4;

namespace detail
{

template <key T> constexpr ordo_type type_of() noexcept
{
    if constexpr (std::same_as<T, float>)
        return ORDO_F32;
    else if constexpr (std::same_as<T, double>)
        return ORDO_F64;
    else {
        constexpr int by_width = sizeof(T) == 1 ? 1 : sizeof(T) == 2 ? 3 : sizeof(T) == 4 ? 5 : 7;
        return static_cast<ordo_type>(by_width + (std::is_signed_v<T> ? 0 : 1));
    }
}

/* Indices and ranks are unsigned numbers, which a signed type of the same width can hold.        */
template <index T> constexpr ordo_type index_type() noexcept
{
    return sizeof(T) == 4 ? ORDO_U32 : ORDO_U64;
}

template <key T> constexpr ordo_type rank_type() noexcept
{
    if constexpr (std::integral<T>)
        return index_type<T>();
    else
        return type_of<T>();
}

} // namespace detail

template <key T> inline constexpr ordo_type type_of_v = detail::type_of<T>();

template <class R>
concept keys = std::ranges::contiguous_range<R> && std::ranges::sized_range<R> &&
    key<std::remove_cv_t<std::ranges::range_value_t<R>>>;

template <class R>
concept mutable_keys =
    keys<R> && !std::is_const_v<std::remove_reference_t<std::ranges::range_reference_t<R>>>;

template <keys R> using key_of = std::remove_cv_t<std::ranges::range_value_t<R>>;

/* ---- Errors ----------------------------------------------------------------------------- */

struct failure {
    ordo_status status;
    std::string reason;
};

class error : public std::runtime_error
{
  public:
    explicit error(failure what) : std::runtime_error(what.reason), status_(what.status) {}
    ordo_status status() const noexcept { return status_; }

  private:
    ordo_status status_;
};

#if defined(__cpp_lib_expected)
template <class T> using expected = std::expected<T, failure>;
using unexpected = std::unexpected<failure>;
#else
/* The part of std::expected that callers need. value() throws ordo::error.                       */
struct unexpected {
    failure reason;
    explicit unexpected(failure why) : reason(std::move(why)) {}
};

template <class T> class expected
{
    using stored = std::conditional_t<std::is_void_v<T>, char, T>;

  public:
    expected() requires std::is_void_v<T> : held_(std::in_place_index<0>, char{}) {}
    template <class U = T>
    requires(!std::is_void_v<T> && std::constructible_from<stored, U> &&
             !std::same_as<std::remove_cvref_t<U>, unexpected> &&
             !std::same_as<std::remove_cvref_t<U>, expected>) expected(U &&value)
        : held_(std::in_place_index<0>, std::forward<U>(value))
    {
    }
    expected(unexpected why) : held_(std::in_place_index<1>, std::move(why.reason)) {}

    bool     has_value() const noexcept { return held_.index() == 0; }
    explicit operator bool() const noexcept { return has_value(); }

    failure const &error() const & { return std::get<1>(held_); }

    stored &value() &
    {
        check();
        return std::get<0>(held_);
    }
    stored &&value() &&
    {
        check();
        return std::get<0>(std::move(held_));
    }
    stored &operator*() & { return std::get<0>(held_); }
    stored *operator->() { return &std::get<0>(held_); }

  private:
    void check() const
    {
        if (!has_value())
            throw ordo::error(error());
    }

    std::variant<stored, failure> held_;
};
#endif

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
};

struct select_options {
    bool                 descending = false;
    bool                 on_device = false;
    ordo_nans            nans = ORDO_NANS_LAST;
    ordo_algorithm       algorithm = ORDO_ALGORITHM_AUTO;
    std::uint64_t        sub_array = 0;
    void                *stream = nullptr;
    ordo_segments const *segments = nullptr;
};

struct quantile_options {
    bool                 on_device = false;
    ordo_nans            nans = ORDO_NANS_LAST;
    ordo_method          method = ORDO_METHOD_DEFAULT;
    ordo_algorithm       algorithm = ORDO_ALGORITHM_AUTO;
    std::uint64_t        sub_array = 0;
    void                *stream = nullptr;
    ordo_segments const *segments = nullptr;
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
    return opts;
}

inline ordo_select_opts to_c(select_options const &o) noexcept
{
    auto opts = common<ordo_select_opts>(o, bit(o.descending, ORDO_DESCENDING));
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

/* How many arrays a call works on.                                                               */
template <class Options> std::size_t parts(Options const &o) noexcept
{
    return o.segments != nullptr ? o.segments->count : 1;
}

struct release {
    void operator()(ordo_ctx *ctx) const noexcept { ordo_ctx_free(ctx); }
};

} // namespace detail

/* The first k keys in order, and their positions.                                                */
template <key T> struct top {
    std::vector<T>           values;
    std::vector<std::size_t> indices;
};

/* ---- Contexts --------------------------------------------------------------------------- */

/* Methods that return a vector are for host arrays. Methods with `_into` write to a range of the
 * caller, which must have the size that ordo.h states; other sizes are ORDO_E_ARG.               */
template <bool Throws> class basic_context
{
  public:
    template <class T> using result = std::conditional_t<Throws, T, expected<T>>;

    static expected<basic_context> make(context_options const &o = {})
    {
        auto opts = detail::sized<ordo_ctx_opts>();
        opts.where = static_cast<std::uint32_t>(o.where);
        opts.threads = o.threads;
        opts.mem_limit = o.mem_limit;
        opts.device = o.device;
        opts.device_limit = o.device_limit;
        opts.cpu_share = o.cpu_share;
        ordo_ctx         *made = nullptr;
        ordo_status const status = ordo_ctx_create(&made, &opts);
        if (status != ORDO_OK)
            return unexpected(why(status, nullptr));
        return basic_context(made);
    }

    explicit basic_context(context_options const &o = {}) requires Throws
    {
        auto made = make(o);
        if (!made.has_value())
            throw ordo::error(made.error());
        *this = std::move(*made);
    }

    /* The context for calls of ordo.h. It belongs to this object.                                */
    ordo_ctx *get() const noexcept { return ctx_.get(); }
    void      cancel() const noexcept { ordo_cancel(get()); }

    template <mutable_keys R> result<void> sort(R &&keys, sort_options const &o = {})
    {
        auto const opts = detail::to_c(o);
        return done(ordo_sort(get(), type<R>, data(keys), size(keys), &opts));
    }

    template <keys R, mutable_keys Out>
    requires std::same_as<key_of<R>, key_of<Out>> result<void> sort_into(R const &keys, Out &&out,
                                                                         sort_options const &o = {})
    {
        if (size(keys) != size(out))
            return done(ORDO_E_ARG, "the output has another size than the keys");
        auto opts = detail::to_c(o);
        opts.source = data(keys);
        return done(ordo_sort(get(), type<R>, data(out), size(out), &opts));
    }

    template <mutable_keys R, std::ranges::contiguous_range V>
    requires std::is_trivially_copyable_v<std::ranges::range_value_t<V>> result<void>
    sort_pairs(R &&keys, V &&values, sort_options const &o = {})
    {
        if (size(keys) != size(values))
            return done(ORDO_E_ARG, "there are not as many values as keys");
        auto const opts = detail::to_c(o);
        return done(ordo_sort_pairs(get(), type<R>, data(keys), size(keys), data(values),
                                    sizeof(std::ranges::range_value_t<V>), &opts));
    }

    template <keys R, mutable_keys Out>
    requires index<key_of<Out>> result<void> argsort_into(R const &keys, Out &&out,
                                                          sort_options const &o = {})
    {
        if (size(keys) != size(out))
            return done(ORDO_E_ARG, "the output has another size than the keys");
        auto const opts = detail::to_c(o);
        return done(ordo_argsort(get(), type<R>, data(keys), size(keys),
                                 detail::index_type<key_of<Out>>(), data(out), &opts));
    }

    template <index I = std::size_t, keys R>
    result<std::vector<I>> argsort(R const &keys, sort_options const &o = {})
    {
        std::vector<I> out(size(keys));
        auto const     opts = detail::to_c(o);
        auto const     status = ordo_argsort(get(), type<R>, data(keys), size(keys),
                                             detail::index_type<I>(), out.data(), &opts);
        return give(status, std::move(out));
    }

    template <keys R, mutable_keys Out>
    result<void> rank_into(R const &keys, Out &&out, rank_options const &o = {})
    {
        if (size(keys) != size(out))
            return done(ORDO_E_ARG, "the output has another size than the keys");
        auto const opts = detail::to_c(o);
        return done(ordo_rank(get(), type<R>, data(keys), size(keys),
                              detail::rank_type<key_of<Out>>(), data(out), &opts));
    }

    template <key T = std::uint64_t, keys R>
    result<std::vector<T>> rank(R const &keys, rank_options const &o = {})
    {
        std::vector<T> out(size(keys));
        auto const     opts = detail::to_c(o);
        auto const     status = ordo_rank(get(), type<R>, data(keys), size(keys),
                                          detail::rank_type<T>(), out.data(), &opts);
        return give(status, std::move(out));
    }

    template <key T = std::uint64_t, keys R>
    result<std::vector<T>> rank_sorted(R const &sorted, rank_options const &o = {})
    {
        std::vector<T> out(size(sorted));
        auto const     opts = detail::to_c(o);
        auto const     status = ordo_rank_sorted(get(), type<R>, data(sorted), size(sorted),
                                                 detail::rank_type<T>(), out.data(), &opts);
        return give(status, std::move(out));
    }

    template <keys R>
    result<std::vector<key_of<R>>> select(R const &keys, std::span<std::size_t const> k,
                                          select_options const &o = {})
    {
        std::vector<key_of<R>> out(k.size() * detail::parts(o));
        auto const             opts = detail::to_c(o);
        auto const status = ordo_select(get(), type<R>, data(keys), size(keys), k.data(), k.size(),
                                        out.data(), &opts);
        return give(status, std::move(out));
    }

    template <keys R>
    result<key_of<R>> select(R const &keys, std::size_t k, select_options const &o = {})
    {
        key_of<R> out{};
        if (o.segments != nullptr)
            return give(ORDO_E_ARG, out, "several results; pass a span of positions");
        auto const opts = detail::to_c(o);
        auto const status = ordo_select(get(), type<R>, data(keys), size(keys), &k, 1, &out, &opts);
        return give(status, out);
    }

    template <keys R>
    result<std::vector<double>> quantiles(R const &keys, std::span<double const> q,
                                          quantile_options const &o = {})
    {
        std::vector<double> out(q.size() * detail::parts(o));
        auto const          opts = detail::to_c(o);
        auto const status = ordo_quantiles(get(), type<R>, data(keys), size(keys), q.data(),
                                           q.size(), out.data(), &opts);
        return give(status, std::move(out));
    }

    template <keys R> result<double> median(R const &keys, quantile_options const &o = {})
    {
        double out = 0;
        if (o.segments != nullptr)
            return give(ORDO_E_ARG, out, "several results; use quantiles");
        auto const opts = detail::to_c(o);
        auto const status = ordo_median(get(), type<R>, data(keys), size(keys), &out, &opts);
        return give(status, out);
    }

    template <keys R>
    result<top<key_of<R>>> topk(R const &keys, std::size_t k, select_options const &o = {})
    {
        std::size_t const   parts = detail::parts(o);
        std::vector<size_t> found(parts);
        top<key_of<R>>      out{std::vector<key_of<R>>(k * parts), std::vector<size_t>(k * parts)};
        auto const          opts = detail::to_c(o);
        auto const          status =
            ordo_topk(get(), type<R>, data(keys), size(keys), k, out.values.data(),
                      detail::index_type<std::size_t>(), out.indices.data(), found.data(), &opts);
        if (status == ORDO_OK && parts == 1) { /* with ORDO_NANS_OMIT there may be fewer than k   */
            out.values.resize(found[0]);
            out.indices.resize(found[0]);
        }
        return give(status, std::move(out));
    }

    template <keys R, mutable_keys Out>
    result<void> scan_into(ordo_op op, R const &in, Out &&out, scan_options const &o = {})
    {
        if (size(in) != size(out))
            return done(ORDO_E_ARG, "the output has another size than the input");
        auto const opts = detail::to_c(o);
        return done(ordo_scan(get(), op, type<R>, data(in), size(in), type<Out>, data(out), &opts));
    }

    /* The sums, minima or maxima so far, in the type of the elements or in type T.               */
    template <class T = void, keys R> auto scan(ordo_op op, R const &in, scan_options const &o = {})
    {
        using element = std::conditional_t<std::is_void_v<T>, key_of<R>, T>;
        std::vector<element> out(size(in));
        auto const           opts = detail::to_c(o);
        auto const status = ordo_scan(get(), op, type<R>, data(in), size(in), type_of_v<element>,
                                      out.data(), &opts);
        return give(status, std::move(out));
    }

    template <keys R> result<bool> is_sorted(R const &keys, order_options const &o = {})
    {
        int sorted = 0;
        if (o.segments != nullptr)
            return give(ORDO_E_ARG, false, "several results; use ordo_is_sorted");
        auto const opts = detail::to_c(o);
        auto const status =
            ordo_is_sorted(get(), type<R>, data(keys), size(keys), &sorted, nullptr, &opts);
        return give(status, sorted != 0);
    }

    template <keys R> result<std::size_t> radius(R const &keys, order_options const &o = {})
    {
        return counted(ordo_radius, keys, o);
    }

    template <keys R> result<std::size_t> runs(R const &keys, order_options const &o = {})
    {
        return counted(ordo_runs, keys, o);
    }

  private:
    explicit basic_context(ordo_ctx *made) noexcept : ctx_(made) {}

    template <class R>
    static constexpr ordo_type type = type_of_v<std::remove_cv_t<std::ranges::range_value_t<R>>>;

    template <class R> static auto        data(R &&range) { return std::ranges::data(range); }
    template <class R> static std::size_t size(R &&range)
    {
        return static_cast<std::size_t>(std::ranges::size(range));
    }

    static failure why(ordo_status status, ordo_ctx const *ctx, char const *reason = nullptr)
    {
        char const *text = reason != nullptr ? reason : ordo_last_error(ctx);
        return {status, *text != '\0' ? text : ordo_status_text(status)};
    }

    result<void> done(ordo_status status, char const *reason = nullptr) const
    {
        if constexpr (Throws) {
            if (status != ORDO_OK)
                throw ordo::error(why(status, get(), reason));
        } else {
            if (status != ORDO_OK)
                return unexpected(why(status, get(), reason));
            return {};
        }
    }

    template <class T>
    result<T> give(ordo_status status, T value, char const *reason = nullptr) const
    {
        if (status == ORDO_OK)
            return value;
        if constexpr (Throws)
            throw ordo::error(why(status, get(), reason));
        else
            return unexpected(why(status, get(), reason));
    }

    template <class Count, class R>
    result<std::size_t> counted(Count *count, R const &keys, order_options const &o)
    {
        std::size_t out = 0;
        if (o.segments != nullptr)
            return give(ORDO_E_ARG, out, "several results; use the call of ordo.h");
        auto const opts = detail::to_c(o);
        auto const status = count(get(), type<R>, data(keys), size(keys), &out, &opts);
        return give(status, out);
    }

    std::unique_ptr<ordo_ctx, detail::release> ctx_;
};

using context = basic_context<true>;      /* methods throw ordo::error      */
using try_context = basic_context<false>; /* methods return ordo::expected  */

} // namespace ordo

#endif
