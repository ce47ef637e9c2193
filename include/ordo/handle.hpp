/* handle.hpp - the C context of an object, and how its methods return or throw. ordo.hpp includes this file. */
#ifndef ORDO_HANDLE_HPP
#define ORDO_HANDLE_HPP

#include <memory>
#include <vector>

#include "options.hpp"

namespace ordo
{

namespace detail
{

template <class R>
inline constexpr ordo_type type = type_of_v<std::remove_cv_t<std::ranges::range_value_t<R>>>;

template <class R> auto        data(R &&range) { return std::ranges::data(range); }
template <class R> std::size_t size(R &&range)
{
    return static_cast<std::size_t>(std::ranges::size(range));
}

struct release {
    void operator()(ordo_ctx *ctx) const noexcept { ordo_ctx_free(ctx); }
};

inline failure why(ordo_status status, ordo_ctx const *ctx, char const *reason = nullptr)
{
    char const *text = reason != nullptr ? reason : ordo_last_error(ctx);
    return {status, *text != '\0' ? text : ordo_status_text(status)};
}

} // namespace detail

/* The base of the classes with verbs. Every class adds the verbs of one file to its base.         */
template <bool Throws> class handle
{
  public:
    template <class T> using result = std::conditional_t<Throws, T, expected<T>>;

    /* The context for calls of ordo.h. It belongs to this object.                                */
    ordo_ctx *get() const noexcept { return ctx_.get(); }

  protected:
    void adopt(ordo_ctx *made) noexcept { ctx_.reset(made); }

    result<void> done(ordo_status status, char const *reason = nullptr) const
    {
        if constexpr (Throws) {
            if (status != ORDO_OK)
                throw ordo::error(detail::why(status, get(), reason));
        } else {
            if (status != ORDO_OK)
                return unexpected(detail::why(status, get(), reason));
            return {};
        }
    }

    template <class T>
    result<T> give(ordo_status status, T value, char const *reason = nullptr) const
    {
        if (status == ORDO_OK)
            return value;
        if constexpr (Throws)
            throw ordo::error(detail::why(status, get(), reason));
        else
            return unexpected(detail::why(status, get(), reason));
    }

    template <class R> static bool has_weights_for(R const &keys, weights const &w)
    {
        return w.type == 0 || w.size == detail::size(keys);
    }
    static constexpr char const *bad_weights = "there are not as many weights as keys";
    static constexpr char const *bad_size = "the output has another size than the keys";

  private:
    std::unique_ptr<ordo_ctx, detail::release> ctx_;
};

} // namespace ordo

#endif
