/* sort.hpp - sorts, ranks and measures of order. ordo.hpp includes this file. */
#ifndef ORDO_SORT_HPP
#define ORDO_SORT_HPP

#include <algorithm>

#include "handle.hpp"

namespace ordo
{

template <bool Throws> class sort_verbs : public handle<Throws>
{
  public:
    template <class T> using result = typename handle<Throws>::template result<T>;

    template <mutable_keys R> result<void> sort(R &&keys, sort_options const &o = {})
    {
        auto const opts = detail::to_c(o);
        return this->done(
            ordo_sort(get(), detail::type<R>, detail::data(keys), detail::size(keys), &opts));
    }

    template <keys R, mutable_keys Out>
    requires std::same_as<key_of<R>, key_of<Out>> result<void> sort_into(R const &keys, Out &&out,
                                                                         sort_options const &o = {})
    {
        if (detail::size(keys) != detail::size(out))
            return this->done(ORDO_E_ARG, this->bad_size);
        auto opts = detail::to_c(o);
        opts.source = detail::data(keys);
        return this->done(
            ordo_sort(get(), detail::type<R>, detail::data(out), detail::size(out), &opts));
    }

    template <mutable_keys R, std::ranges::contiguous_range V>
    requires std::is_trivially_copyable_v<std::ranges::range_value_t<V>> result<void>
    sort_pairs(R &&keys, V &&values, sort_options const &o = {})
    {
        if (detail::size(keys) != detail::size(values))
            return this->done(ORDO_E_ARG, "there are not as many values as keys");
        auto const opts = detail::to_c(o);
        return this->done(ordo_sort_pairs(get(), detail::type<R>, detail::data(keys),
                                          detail::size(keys), detail::data(values),
                                          sizeof(std::ranges::range_value_t<V>), &opts));
    }

    template <keys R, mutable_keys Out>
    requires index<key_of<Out>> result<void> argsort_into(R const &keys, Out &&out,
                                                          sort_options const &o = {})
    {
        if (detail::size(keys) != detail::size(out))
            return this->done(ORDO_E_ARG, this->bad_size);
        auto const opts = detail::to_c(o);
        return this->done(ordo_argsort(get(), detail::type<R>, detail::data(keys),
                                       detail::size(keys), detail::index_type<key_of<Out>>(),
                                       detail::data(out), &opts));
    }

    template <index I = std::size_t, keys R>
    result<std::vector<I>> argsort(R const &keys, sort_options const &o = {})
    {
        std::vector<I> out(detail::size(keys));
        auto const     opts = detail::to_c(o);
        auto const     status =
            ordo_argsort(get(), detail::type<R>, detail::data(keys), detail::size(keys),
                         detail::index_type<I>(), out.data(), &opts);
        return this->give(status, std::move(out));
    }

    template <keys R, mutable_keys Out>
    result<void> rank_into(R const &keys, Out &&out, rank_options const &o = {})
    {
        if (detail::size(keys) != detail::size(out))
            return this->done(ORDO_E_ARG, this->bad_size);
        if (!this->has_weights_for(keys, o.weights))
            return this->done(ORDO_E_ARG, this->bad_weights);
        auto const opts = detail::to_c(o);
        return this->done(ordo_rank(get(), detail::type<R>, detail::data(keys), detail::size(keys),
                                    detail::rank_type<key_of<Out>>(), detail::data(out), &opts));
    }

    template <key T = std::uint64_t, keys R>
    result<std::vector<T>> rank(R const &keys, rank_options const &o = {})
    {
        std::vector<T> out(detail::size(keys));
        if (!this->has_weights_for(keys, o.weights))
            return this->give(ORDO_E_ARG, std::move(out), this->bad_weights);
        auto const opts = detail::to_c(o);
        auto const status =
            ordo_rank(get(), detail::type<R>, detail::data(keys), detail::size(keys),
                      detail::rank_type<T>(), out.data(), &opts);
        return this->give(status, std::move(out));
    }

    template <key T = std::uint64_t, keys R>
    result<std::vector<T>> rank_sorted(R const &sorted, rank_options const &o = {})
    {
        std::vector<T> out(detail::size(sorted));
        auto const     opts = detail::to_c(o);
        auto const     status =
            ordo_rank_sorted(get(), detail::type<R>, detail::data(sorted), detail::size(sorted),
                             detail::rank_type<T>(), out.data(), &opts);
        return this->give(status, std::move(out));
    }

    /* Sorts elements of any trivially copyable type by a comparison, as std::sort: less(a, b) says
     * whether a comes before b. Threads call it at the same time; it must not throw.             */
    template <std::ranges::contiguous_range R, class Less>
    requires std::is_trivially_copyable_v<std::ranges::range_value_t<R>> result<void>
    sort_by(R &&elements, Less const &less, sort_options const &o = {})
    {
        using element = std::ranges::range_value_t<R>;
        auto const opts = detail::to_c(o);
        auto const compare = [](void *user, void const *a, void const *b) noexcept -> int {
            Less const    &before = *static_cast<Less const *>(user);
            element const &x = *static_cast<element const *>(a);
            element const &y = *static_cast<element const *>(b);
            return before(x, y) ? -1 : before(y, x) ? 1 : 0;
        };
        return this->done(ordo_sort_by(get(), detail::data(elements), detail::size(elements),
                                       sizeof(element), compare,
                                       const_cast<Less *>(std::addressof(less)), &opts));
    }

    /* Sorts structs by a member: sort_records(trades, &trade::price). */
    template <std::ranges::contiguous_range R, key K>
    requires std::is_trivially_copyable_v<std::ranges::range_value_t<R>> result<void>
    sort_records(R &&records, K std::ranges::range_value_t<R>::*member, sort_options const &o = {})
    {
        std::size_t const n = detail::size(records);
        if (n == 0)
            return this->done(ORDO_OK);
        auto *const       base = detail::data(records);
        auto const *const first = reinterpret_cast<char const *>(base);
        auto const *const at = reinterpret_cast<char const *>(std::addressof(base->*member));
        auto const        opts = detail::to_c(o);
        return this->done(ordo_sort_records(get(), base, n, sizeof *base,
                                            static_cast<std::size_t>(at - first), type_of_v<K>,
                                            &opts));
    }

    /* Returns the number of distinct keys, which are written to the front of out. */
    template <keys R, mutable_keys Out>
    requires std::same_as<key_of<R>, key_of<Out>> result<std::size_t>
    unique_into(R const &keys, Out &&out, sort_options const &o = {})
    {
        std::size_t count = 0;
        if (detail::size(keys) != detail::size(out))
            return this->give(ORDO_E_ARG, count, this->bad_size);
        auto const opts = detail::to_c(o);
        auto const status = ordo_unique(get(), detail::type<R>, detail::data(keys),
                                        detail::size(keys), detail::data(out), &count, &opts);
        return this->give(status, count);
    }

    template <keys R, keys N, mutable_keys Out>
    requires std::same_as<key_of<R>, key_of<N>> && index<key_of<Out>> result<void>
    search_into(R const &sorted, N const &needles, Out &&out, ordo_side side = ORDO_SIDE_LEFT,
                bool descending = false)
    {
        if (detail::size(needles) != detail::size(out))
            return this->done(ORDO_E_ARG, this->bad_size);
        ordo_search_opts opts{};
        opts.struct_size = sizeof opts;
        if (descending)
            opts.flags = ORDO_DESCENDING;
        opts.side = side;
        return this->done(ordo_search(get(), detail::type<R>, detail::data(sorted),
                                      detail::size(sorted), detail::data(needles),
                                      detail::size(needles), detail::index_type<key_of<Out>>(),
                                      detail::data(out), &opts));
    }

    template <keys R> result<bool> is_sorted(R const &keys, order_options const &o = {})
    {
        int sorted = 0;
        if (o.segments != nullptr)
            return this->give(ORDO_E_ARG, false, "several results; use ordo_is_sorted");
        auto const opts = detail::to_c(o);
        auto const status = ordo_is_sorted(get(), detail::type<R>, detail::data(keys),
                                           detail::size(keys), &sorted, nullptr, &opts);
        return this->give(status, sorted != 0);
    }

    template <keys R> result<std::size_t> radius(R const &keys, order_options const &o = {})
    {
        return this->counted(ordo_radius, keys, o);
    }

    template <keys R> result<std::size_t> runs(R const &keys, order_options const &o = {})
    {
        return this->counted(ordo_runs, keys, o);
    }

    using handle<Throws>::get;

  private:
    template <class Count, class R>
    result<std::size_t> counted(Count *count, R const &keys, order_options const &o)
    {
        std::size_t out = 0;
        if (o.segments != nullptr)
            return this->give(ORDO_E_ARG, out, "several results; use the call of ordo.h");
        auto const opts = detail::to_c(o);
        auto const status =
            count(get(), detail::type<R>, detail::data(keys), detail::size(keys), &out, &opts);
        return this->give(status, out);
    }
};

} // namespace ordo

#endif
