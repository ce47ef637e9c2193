/* types.hpp - key types, ranges of keys, errors and expected. ordo.hpp includes this file. */
#ifndef ORDO_TYPES_HPP
#define ORDO_TYPES_HPP

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <version>
#if defined(__cpp_lib_expected)
#include <expected>
#endif

#include "../ordo.h"

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

} // namespace ordo

#endif
