/* strings.hpp - strings and FASTA records. ordo.hpp includes this file. */
#ifndef ORDO_STRINGS_HPP
#define ORDO_STRINGS_HPP

#include <string>
#include <string_view>

#include "groups.hpp"

namespace ordo
{

/* A range of strings: std::string, std::string_view, char const * and the like.                   */
template <class R>
concept strings = std::ranges::forward_range<R> &&
    std::convertible_to<std::ranges::range_reference_t<R>, std::string_view>;

/* The records of a FASTA text; record i is text[starts[i] .. starts[i + 1]).                      */
struct fasta_records {
    std::vector<std::string>   headers;
    std::vector<std::string>   sequences;
    std::vector<std::uint64_t> starts;
};

namespace detail
{

/* Strings as the C calls want them: all bytes, and where each string begins.                      */
struct packed {
    std::string                bytes;
    std::vector<std::uint64_t> offsets{0};

    packed() = default;
    template <strings R> explicit packed(R const &list)
    {
        for (std::string_view const each : list) {
            bytes += each;
            offsets.push_back(bytes.size());
        }
    }

    std::size_t  size() const { return offsets.size() - 1; }
    ordo_strings in_c() const
    {
        auto c = sized<ordo_strings>();
        c.bytes = bytes.data();
        c.offsets = offsets.data();
        return c;
    }
    std::vector<std::string> apart() const
    {
        std::vector<std::string> out;
        for (std::size_t i = 0; i < size(); i++)
            out.emplace_back(bytes, offsets[i], offsets[i + 1] - offsets[i]);
        return out;
    }
};

} // namespace detail

template <bool Throws> class string_verbs : public group_verbs<Throws>
{
  public:
    template <class T> using result = typename handle<Throws>::template result<T>;
    using handle<Throws>::get;

    template <strings R>
    result<std::vector<std::string>> sort_strings(R const &list, sort_options const &o = {})
    {
        detail::packed const in(list);
        detail::packed       out = in;
        auto const           c = in.in_c();
        auto const           opts = detail::to_c(o);
        auto const           status =
            ordo_sort_strings(get(), &c, in.size(), out.bytes.data(), out.offsets.data(), &opts);
        return this->give(status, status == ORDO_OK ? out.apart() : std::vector<std::string>{});
    }

    /* Puts pointers in the order of their strings, which end with a zero byte.                    */
    result<void> sort_pointers(std::span<char const *> pointers, sort_options const &o = {})
    {
        auto const opts = detail::to_c(o);
        return this->done(ordo_sort_pointers(get(), pointers.data(), pointers.size(), &opts));
    }

    template <index I = std::size_t, strings R>
    result<std::vector<I>> argsort_strings(R const &list, sort_options const &o = {})
    {
        detail::packed const in(list);
        std::vector<I>       out(in.size());
        auto const           c = in.in_c();
        auto const           opts = detail::to_c(o);
        auto const           status =
            ordo_argsort_strings(get(), &c, in.size(), detail::index_type<I>(), out.data(), &opts);
        return this->give(status, std::move(out));
    }

    template <key T = std::uint64_t, strings R>
    result<std::vector<T>> rank_strings(R const &list, rank_options const &o = {})
    {
        detail::packed const in(list);
        std::vector<T>       out(in.size());
        auto const           c = in.in_c();
        auto const           opts = detail::to_c(o);
        auto const           status =
            ordo_rank_strings(get(), &c, in.size(), detail::rank_type<T>(), out.data(), &opts);
        return this->give(status, std::move(out));
    }

    /* The positions of the k-th strings.                                                          */
    template <strings R>
    result<std::vector<std::uint64_t>> select_strings(R const &list, std::span<std::size_t const> k,
                                                      sort_options const &o = {})
    {
        detail::packed const       in(list);
        std::vector<std::uint64_t> out(k.size());
        auto const                 c = in.in_c();
        auto const                 opts = detail::to_c(o);
        auto const                 status =
            ordo_select_strings(get(), &c, in.size(), k.data(), k.size(), out.data(), &opts);
        return this->give(status, std::move(out));
    }

    result<std::vector<std::string>> generate_strings(ordo_dist dist, std::size_t n,
                                                      generator_options const &o = {})
    {
        detail::packed out;
        auto const     opts = detail::to_c(o);
        out.offsets.resize(n + 1);
        auto status = ordo_gen_strings(get(), dist, n, out.offsets.data(), nullptr, 0, &opts);
        if (status == ORDO_OK) {
            out.bytes.resize(out.offsets[n]);
            status = ordo_gen_strings(get(), dist, n, out.offsets.data(), out.bytes.data(),
                                      out.bytes.size(), &opts);
        }
        return this->give(status, status == ORDO_OK ? out.apart() : std::vector<std::string>{});
    }

    result<fasta_records> parse_fasta(std::string_view text)
    {
        fasta_records  out;
        detail::packed headers, sequences;
        auto           c = detail::sized<ordo_fasta>();
        auto           status = ordo_parse_fasta(get(), text.data(), text.size(), &c);
        if (status == ORDO_OK && c.n > 0) {
            out.starts.resize(c.n + 1);
            for (auto *const part : {&headers, &sequences})
                part->offsets.resize(c.n + 1);
            headers.bytes.resize(c.header_bytes);
            sequences.bytes.resize(c.sequence_bytes);
            c.starts = out.starts.data();
            c.headers = headers.bytes.data();
            c.header_offsets = headers.offsets.data();
            c.sequences = sequences.bytes.data();
            c.sequence_offsets = sequences.offsets.data();
            status = ordo_parse_fasta(get(), text.data(), text.size(), &c);
        }
        if (status == ORDO_OK) {
            out.headers = headers.apart();
            out.sequences = sequences.apart();
        }
        return this->give(status, std::move(out));
    }
};

} // namespace ordo

#endif
