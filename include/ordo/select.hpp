/* select.hpp - selection, quantiles, top-k and moving windows. ordo.hpp includes this file. */
#ifndef ORDO_SELECT_HPP
#define ORDO_SELECT_HPP

#include <span>

#include "sort.hpp"

namespace ordo
{

/* The first k keys in order, and their positions.                                                */
template <key T> struct top {
    std::vector<T>           values;
    std::vector<std::size_t> indices;
};

/* All keys, split around the k-th, and their positions.                                          */
template <key T> struct parted {
    std::vector<T>           values;
    std::vector<std::size_t> indices;
};

template <bool Throws> class select_verbs : public sort_verbs<Throws>
{
  public:
    template <class T> using result = typename handle<Throws>::template result<T>;
    using handle<Throws>::get;

    template <keys R>
    result<std::vector<key_of<R>>> select(R const &keys, std::span<std::size_t const> k,
                                          select_options const &o = {})
    {
        std::vector<key_of<R>> out(k.size() * detail::parts(o));
        auto const             opts = detail::to_c(o);
        auto const             status = ordo_select(get(), detail::type<R>, detail::data(keys),
                                                    detail::size(keys), k.data(), k.size(), out.data(), &opts);
        return this->give(status, std::move(out));
    }

    template <keys R>
    result<key_of<R>> select(R const &keys, std::size_t k, select_options const &o = {})
    {
        key_of<R> out{};
        if (o.segments != nullptr)
            return this->give(ORDO_E_ARG, out, "several results; pass a span of positions");
        auto const opts = detail::to_c(o);
        auto const status = ordo_select(get(), detail::type<R>, detail::data(keys),
                                        detail::size(keys), &k, 1, &out, &opts);
        return this->give(status, out);
    }

    template <keys R>
    result<std::vector<double>> quantiles(R const &keys, std::span<double const> q,
                                          quantile_options const &o = {})
    {
        std::vector<double> out(q.size() * detail::parts(o));
        if (!this->has_weights_for(keys, o.weights))
            return this->give(ORDO_E_ARG, std::move(out), this->bad_weights);
        auto const opts = detail::to_c(o);
        auto const status =
            ordo_quantiles(get(), detail::type<R>, detail::data(keys), detail::size(keys), q.data(),
                           q.size(), out.data(), &opts);
        return this->give(status, std::move(out));
    }

    template <keys R> result<double> median(R const &keys, quantile_options const &o = {})
    {
        double out = 0;
        if (o.segments != nullptr)
            return this->give(ORDO_E_ARG, out, "several results; use quantiles");
        if (!this->has_weights_for(keys, o.weights))
            return this->give(ORDO_E_ARG, out, this->bad_weights);
        auto const opts = detail::to_c(o);
        auto const status = ordo_median(get(), detail::type<R>, detail::data(keys),
                                        detail::size(keys), &out, &opts);
        return this->give(status, out);
    }

    template <keys R>
    result<top<key_of<R>>> topk(R const &keys, std::size_t k, select_options const &o = {})
    {
        std::size_t const   parts = detail::parts(o);
        std::vector<size_t> found(parts);
        top<key_of<R>>      out{std::vector<key_of<R>>(k * parts), std::vector<size_t>(k * parts)};
        auto const          opts = detail::to_c(o);
        auto const          status = ordo_topk(
                     get(), detail::type<R>, detail::data(keys), detail::size(keys), k, out.values.data(),
                     detail::index_type<std::size_t>(), out.indices.data(), found.data(), &opts);
        if (status == ORDO_OK && parts == 1) { /* with ORDO_NANS_OMIT there may be fewer than k   */
            out.values.resize(found[0]);
            out.indices.resize(found[0]);
        }
        return this->give(status, std::move(out));
    }

    /* The keys less than the k-th, those that tie with it, the others; each group in its order.  */
    template <keys R>
    result<parted<key_of<R>>> nth(R const &keys, std::size_t k, select_options const &o = {})
    {
        std::size_t const n = detail::size(keys);
        parted<key_of<R>> out{std::vector<key_of<R>>(n), std::vector<std::size_t>(n)};
        auto const        opts = detail::to_c(o);
        auto const        status =
            ordo_nth(get(), detail::type<R>, detail::data(keys), n, k, out.values.data(),
                     detail::index_type<std::size_t>(), out.indices.data(), &opts);
        return this->give(status, std::move(out));
    }

    template <keys R, mutable_keys Out>
    requires std::same_as<key_of<R>, key_of<Out>> result<void>
    nth_into(R const &keys, std::size_t k, Out &&out, select_options const &o = {})
    {
        if (detail::size(keys) != detail::size(out))
            return this->done(ORDO_E_ARG, this->bad_size);
        auto const opts = detail::to_c(o);
        return this->done(ordo_nth(get(), detail::type<R>, detail::data(keys), detail::size(keys),
                                   k, detail::data(out), ORDO_U64, nullptr, &opts));
    }

    /* The median, quantile, rank, minimum or maximum of the window that ends at each element.     */
    template <keys R, mutable_keys Out>
    result<void> moving_into(ordo_moving_op op, R const &in, std::size_t window, Out &&out,
                             moving_options const &o = {})
    {
        if (detail::size(in) != detail::size(out))
            return this->done(ORDO_E_ARG, this->bad_size);
        auto const opts = detail::to_c(o);
        return this->done(ordo_moving(get(), op, detail::type<R>, detail::data(in),
                                      detail::size(in), window, detail::type<Out>,
                                      detail::data(out), &opts));
    }

    template <key T = double, keys R>
    result<std::vector<T>> moving(ordo_moving_op op, R const &in, std::size_t window,
                                  moving_options const &o = {})
    {
        std::vector<T> out(detail::size(in));
        auto const     opts = detail::to_c(o);
        auto const status = ordo_moving(get(), op, detail::type<R>, detail::data(in), out.size(),
                                        window, type_of_v<T>, out.data(), &opts);
        return this->give(status, std::move(out));
    }
};

} // namespace ordo

#endif
