/* groups.hpp - rows of several columns, and groups of rows. ordo.hpp includes this file. */
#ifndef ORDO_GROUPS_HPP
#define ORDO_GROUPS_HPP

#include "arrays.hpp"

namespace ordo
{

/* A key column of rows, made from a range that must outlive the call.                             */
struct column {
    ordo_column c{};
    std::size_t size;

    template <keys R> column(R const &keys, bool descending = false) : size(std::ranges::size(keys))
    {
        c.keys = std::ranges::data(keys);
        c.type = type_of_v<key_of<R>>;
        c.flags = descending ? ORDO_DESCENDING : 0;
    }
};

/* The groups in ascending order of their keys, and the rows of each.                              */
template <key K> struct group_list {
    std::vector<K>             keys;
    std::vector<std::uint64_t> sizes;
};

/* Also some results for each group: `each` numbers for group 0, then for group 1, and so on.      */
template <key K> struct group_numbers : group_list<K> {
    std::vector<double> values;
    std::size_t         each = 1;
};

/* The first keys of each group: results g * k to g * k + found[g] - 1 belong to group g.          */
template <key K, key T> struct group_top : group_list<K> {
    std::vector<T>             values;
    std::vector<std::size_t>   indices;
    std::vector<std::uint64_t> found;
};

template <bool Throws> class group_verbs : public array_verbs<Throws>
{
  public:
    template <class T> using result = typename handle<Throws>::template result<T>;
    using handle<Throws>::get;

    /* The order of rows: by the first column, where that ties by the second, and so on.           */
    template <index I = std::size_t>
    result<std::vector<I>> lexsort(std::span<column const> columns, sort_options const &o = {})
    {
        std::vector<I> out(rows_of(columns));
        if (!same_size(columns))
            return this->give(ORDO_E_ARG, std::move(out), bad_columns);
        auto const list = in_c(columns);
        auto const opts = detail::to_c(o);
        auto const status = ordo_lexsort(get(), list.data(), list.size(), out.size(),
                                         detail::index_type<I>(), out.data(), &opts);
        return this->give(status, std::move(out));
    }

    template <key T = std::uint64_t>
    result<std::vector<T>> lexrank(std::span<column const> columns, rank_options const &o = {})
    {
        std::vector<T> out(rows_of(columns));
        if (!same_size(columns))
            return this->give(ORDO_E_ARG, std::move(out), bad_columns);
        auto const list = in_c(columns);
        auto const opts = detail::to_c(o);
        auto const status = ordo_lexrank(get(), list.data(), list.size(), out.size(),
                                         detail::rank_type<T>(), out.data(), &opts);
        return this->give(status, std::move(out));
    }

    template <keys G>
    result<group_list<key_of<G>>> group_counts(G const &groups, group_options const &o = {})
    {
        group_list<key_of<G>> out;
        return grouped(groups, groups, std::move(out), o, [&](auto const &g, auto const &opts) {
            return ordo_group_counts(get(), &g, detail::size(groups), &opts);
        });
    }

    /* Rows in the order of (group, key).                                                          */
    template <index I = std::size_t, keys G, keys R>
    result<std::vector<I>> group_argsort(G const &groups, R const &keys,
                                         group_options const &o = {})
    {
        std::vector<I> out(detail::size(keys));
        return for_rows(groups, keys, std::move(out), o,
                        [&](auto const &g, auto const &opts, auto &found) {
                            return ordo_group_argsort(get(), &g, detail::type<R>,
                                                      detail::data(keys), detail::size(keys),
                                                      detail::index_type<I>(), found.data(), &opts);
                        });
    }

    template <key T = std::uint64_t, keys G, keys R>
    result<std::vector<T>> group_rank(G const &groups, R const &keys, group_options const &o = {})
    {
        std::vector<T> out(detail::size(keys));
        return for_rows(groups, keys, std::move(out), o,
                        [&](auto const &g, auto const &opts, auto &found) {
                            return ordo_group_rank(get(), &g, detail::type<R>, detail::data(keys),
                                                   detail::size(keys), detail::rank_type<T>(),
                                                   found.data(), &opts);
                        });
    }

    template <keys G, keys R>
    result<group_numbers<key_of<G>>> group_quantiles(G const &groups, R const &keys,
                                                     std::span<double const> q,
                                                     group_options const    &o = {})
    {
        group_numbers<key_of<G>> out;
        out.each = q.size();
        return numbers(
            groups, keys, std::move(out), o, [&](auto const &g, auto const &opts, double *values) {
                return ordo_group_quantiles(get(), &g, detail::type<R>, detail::data(keys),
                                            detail::size(keys), q.data(), q.size(), values, &opts);
            });
    }

    template <keys G, keys R>
    result<group_numbers<key_of<G>>> group_median(G const &groups, R const &keys,
                                                  group_options const &o = {})
    {
        return numbers(groups, keys, group_numbers<key_of<G>>{}, o,
                       [&](auto const &g, auto const &opts, double *values) {
                           return ordo_group_median(get(), &g, detail::type<R>, detail::data(keys),
                                                    detail::size(keys), values, &opts);
                       });
    }

    template <keys G, keys R>
    result<group_top<key_of<G>, key_of<R>>> group_topk(G const &groups, R const &keys,
                                                       std::size_t k, group_options const &o = {})
    {
        std::size_t const               n = detail::size(keys);
        group_top<key_of<G>, key_of<R>> out;
        out.values.resize(n * k);
        out.indices.resize(n * k);
        out.found.resize(n);
        auto *const values = out.values.data();
        auto *const indices = out.indices.data();
        auto *const found = out.found.data();
        auto given = grouped(groups, keys, std::move(out), o, [&](auto const &g, auto const &opts) {
            return ordo_group_topk(get(), &g, detail::type<R>, detail::data(keys), n, k, values,
                                   detail::index_type<std::size_t>(), indices, found, &opts);
        });
        if (auto *const top = held(given)) {
            top->values.resize(top->keys.size() * k);
            top->indices.resize(top->keys.size() * k);
            top->found.resize(top->keys.size());
        }
        return given;
    }

  private:
    static constexpr char const *bad_columns = "the columns have different sizes, or there is none";
    static constexpr char const *bad_groups = "there are not as many groups as keys";

    static std::size_t rows_of(std::span<column const> columns)
    {
        return columns.empty() ? 0 : columns.front().size;
    }

    static bool same_size(std::span<column const> columns)
    {
        for (column const &each : columns)
            if (each.size != columns.front().size)
                return false;
        return !columns.empty();
    }

    static std::vector<ordo_column> in_c(std::span<column const> columns)
    {
        std::vector<ordo_column> list;
        for (column const &each : columns)
            list.push_back(each.c);
        return list;
    }

    template <keys G> static ordo_groups groups_in_c(G const &groups, group_options const &o)
    {
        auto g = detail::sized<ordo_groups>();
        g.keys = detail::data(groups);
        g.type = detail::type<G>;
        g.nans = o.group_nans;
        g.capacity = detail::size(groups);
        return g;
    }

    /* The value of a result; NULL if it is an error.                                              */
    template <class T> static T *held(T &value) { return &value; }
    template <class T> static T *held(expected<T> &value)
    {
        return value.has_value() ? &*value : nullptr;
    }

    /* A call with one result for each row.                                                        */
    template <keys G, keys R, class Out, class Call>
    result<Out> for_rows(G const &groups, R const &keys, Out out, group_options const &o, Call call)
    {
        if (detail::size(groups) != detail::size(keys))
            return this->give(ORDO_E_ARG, std::move(out), bad_groups);
        auto const status = call(groups_in_c(groups, o), detail::to_c(o), out);
        return this->give(status, std::move(out));
    }

    /* A call with results for each group: fills the list of groups.                               */
    template <keys G, keys R, class Out, class Call>
    result<Out> grouped(G const &groups, R const &keys, Out out, group_options const &o, Call call)
    {
        if (detail::size(groups) != detail::size(keys))
            return this->give(ORDO_E_ARG, std::move(out), bad_groups);
        std::size_t count = 0;
        auto        g = groups_in_c(groups, o);
        out.keys.resize(g.capacity);
        out.sizes.resize(g.capacity);
        g.unique = out.keys.data();
        g.sizes = out.sizes.data();
        g.count = &count;
        auto const status = call(g, detail::to_c(o));
        out.keys.resize(status == ORDO_OK ? count : 0);
        out.sizes.resize(out.keys.size());
        return this->give(status, std::move(out));
    }

    template <keys G, keys R, class Call>
    result<group_numbers<key_of<G>>> numbers(G const &groups, R const &keys,
                                             group_numbers<key_of<G>> out, group_options const &o,
                                             Call call)
    {
        std::size_t const each = out.each;
        if (!this->has_weights_for(keys, o.weights))
            return this->give(ORDO_E_ARG, std::move(out), this->bad_weights);
        out.values.resize(detail::size(groups) * each);
        double *const values = out.values.data();
        auto given = grouped(groups, keys, std::move(out), o, [&](auto const &g, auto const &opts) {
            return call(g, opts, values);
        });
        if (auto *const found = held(given))
            found->values.resize(found->keys.size() * each);
        return given;
    }
};

} // namespace ordo

#endif
