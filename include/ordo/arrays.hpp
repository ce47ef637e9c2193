/* arrays.hpp - scans, partition, gather, scatter, copies and generators. ordo.hpp includes this file. */
#ifndef ORDO_ARRAYS_HPP
#define ORDO_ARRAYS_HPP

#include "select.hpp"

namespace ordo
{

/* One flag for each element: bool or a type of one byte; an element that is not 0 is set.         */
template <class R>
concept flags = std::ranges::contiguous_range<R> && std::ranges::sized_range<R> &&
                std::integral<std::ranges::range_value_t<R>> &&
                sizeof(std::ranges::range_value_t<R>) == 1;

/* Elements that can be moved as bytes.                                                           */
template <class R>
concept elements = std::ranges::contiguous_range<R> && std::ranges::sized_range<R> &&
    std::is_trivially_copyable_v<std::ranges::range_value_t<R>>;

template <elements R> using element_of = std::remove_cv_t<std::ranges::range_value_t<R>>;

/* The elements whose flag is set, `first` of them, and then the others.                           */
template <class T> struct split {
    std::vector<T> elements;
    std::size_t    first;
};

template <bool Throws> class array_verbs : public select_verbs<Throws>
{
  public:
    template <class T> using result = typename handle<Throws>::template result<T>;
    using handle<Throws>::get;

    template <keys R, mutable_keys Out>
    result<void> scan_into(ordo_op op, R const &in, Out &&out, scan_options const &o = {})
    {
        if (detail::size(in) != detail::size(out))
            return this->done(ORDO_E_ARG, "the output has another size than the input");
        auto const opts = detail::to_c(o);
        return this->done(ordo_scan(get(), op, detail::type<R>, detail::data(in), detail::size(in),
                                    detail::type<Out>, detail::data(out), &opts));
    }

    /* The sums, minima or maxima so far, in the type of the elements or in type T.               */
    template <class T = void, keys R> auto scan(ordo_op op, R const &in, scan_options const &o = {})
    {
        using element = std::conditional_t<std::is_void_v<T>, key_of<R>, T>;
        std::vector<element> out(detail::size(in));
        auto const           opts = detail::to_c(o);
        auto const           status = ordo_scan(get(), op, detail::type<R>, detail::data(in),
                                                detail::size(in), type_of_v<element>, out.data(), &opts);
        return this->give(status, std::move(out));
    }

    /* How many flags are set up to each flag.                                                     */
    template <index T = std::uint64_t, flags F>
    result<std::vector<T>> scan_bits(F const &set, scan_options const &o = {})
    {
        std::vector<T> out(detail::size(set));
        auto const     opts = detail::to_c(o);
        auto const status = ordo_scan_bits(get(), ORDO_FLAG_BYTES, detail::data(set), out.size(),
                                           detail::index_type<T>(), out.data(), nullptr, &opts);
        return this->give(status, std::move(out));
    }

    template <flags F, elements R>
    requires(sizeof(element_of<R>) <=
             16) result<split<element_of<R>>> partition(F const &set, R const &in,
                                                        partition_options const &o = {})
    {
        split<element_of<R>> out{std::vector<element_of<R>>(detail::size(in)), 0};
        if (detail::size(set) != detail::size(in))
            return this->give(ORDO_E_ARG, std::move(out),
                              "there are not as many flags as elements");
        auto const opts = detail::to_c(o);
        auto const status = ordo_partition(
            get(), ORDO_FLAG_BYTES, detail::data(set), detail::data(in), detail::size(in),
            sizeof(element_of<R>), out.elements.data(), &out.first, &opts);
        return this->give(status, std::move(out));
    }

    /* out[i] = in[index[i]]                                                                       */
    template <elements R, keys I, elements Out>
    requires(index<key_of<I>> &&std::same_as<element_of<R>, element_of<Out>>)
        result<void> gather_into(R const &in, I const &at, Out &&out, move_options const &o = {})
    {
        if (detail::size(at) != detail::size(out))
            return this->done(ORDO_E_ARG, "there are not as many indices as results");
        auto const opts = detail::to_c(o);
        return this->done(ordo_gather(get(), detail::data(in), detail::size(in),
                                      sizeof(element_of<R>), detail::index_type<key_of<I>>(),
                                      detail::data(at), detail::size(at), detail::data(out),
                                      &opts));
    }

    /* out[index[i]] = in[i]                                                                       */
    template <elements R, keys I, elements Out>
    requires(index<key_of<I>> &&std::same_as<element_of<R>, element_of<Out>>)
        result<void> scatter_into(R const &in, I const &at, Out &&out, move_options const &o = {})
    {
        if (detail::size(in) != detail::size(at))
            return this->done(ORDO_E_ARG, "there are not as many indices as elements");
        auto const opts = detail::to_c(o);
        return this->done(ordo_scatter(get(), detail::data(in), detail::size(in),
                                       sizeof(element_of<R>), detail::index_type<key_of<I>>(),
                                       detail::data(at), detail::data(out), detail::size(out),
                                       &opts));
    }

    /* memcpy by all threads.                                                                      */
    template <elements R, elements Out>
    requires std::same_as<element_of<R>, element_of<Out>> result<void> copy_into(R const &in,
                                                                                 Out    &&out)
    {
        if (detail::size(in) != detail::size(out))
            return this->done(ORDO_E_ARG, "the output has another size than the input");
        return this->done(ordo_copy(get(), detail::data(out), detail::data(in),
                                    detail::size(in) * sizeof(element_of<R>)));
    }

    template <mutable_keys Out>
    result<void> generate_into(ordo_dist dist, Out &&out, generator_options const &o = {})
    {
        auto const opts = detail::to_c(o);
        return this->done(
            ordo_gen(get(), dist, detail::type<Out>, detail::data(out), detail::size(out), &opts));
    }

    template <key T>
    result<std::vector<T>> generate(ordo_dist dist, std::size_t n, generator_options const &o = {})
    {
        std::vector<T> out(n);
        auto const     opts = detail::to_c(o);
        auto const     status = ordo_gen(get(), dist, type_of_v<T>, out.data(), n, &opts);
        return this->give(status, std::move(out));
    }
};

} // namespace ordo

#endif
