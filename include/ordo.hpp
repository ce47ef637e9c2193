/* ordo.hpp - ordo.h for C++20: ranges, deduced types, options by designated initialisers.
 *
 *   #include <ordo.hpp>
 *   ordo::context ctx;                                   // all CPUs; a GPU if that is faster
 *   ctx.sort(scores, {.descending = true});              // any contiguous range of numbers
 *   auto ranks = ctx.rank<double>(scores, {.ties = ORDO_TIES_AVERAGE});
 *
 * Methods of ordo::context throw ordo::error. Those of ordo::try_context throw nothing but
 * std::bad_alloc for vectors that they return; they return an ordo::expected, which is
 * std::expected where the library has it (C++23). Each verb calls the function of ordo.h with its
 * name, where the contract is; get() gives the C context for size queries and calibration.      */
#ifndef ORDO_HPP
#define ORDO_HPP

#include "ordo/strings.hpp"

namespace ordo
{

/* Methods that return a vector are for host arrays. Methods with `_into` write to a range of the
 * caller, which must have the size that ordo.h states; other sizes are ORDO_E_ARG. The verbs are
 * in ordo/sort.hpp, select.hpp, arrays.hpp, groups.hpp and strings.hpp.                          */
template <bool Throws> class basic_context : public string_verbs<Throws>
{
  public:
    template <class T> using result = typename handle<Throws>::template result<T>;
    using handle<Throws>::get;

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
            return unexpected(detail::why(status, nullptr));
        return basic_context(made);
    }

    explicit basic_context(context_options const &o = {}) requires Throws
    {
        auto made = make(o);
        if (!made.has_value())
            throw ordo::error(made.error());
        *this = std::move(*made);
    }

    void cancel() const noexcept { ordo_cancel(get()); }

    /* What the last successful call did.                                                          */
    result<ordo_report> report() const
    {
        auto       out = detail::sized<ordo_report>();
        auto const status = ordo_last_report(get(), &out);
        return this->give(status, out);
    }

    /* What the context found on this machine. The strings belong to the context.                  */
    result<ordo_info> info() const
    {
        auto       out = detail::sized<ordo_info>();
        auto const status = ordo_ctx_info(get(), &out);
        return this->give(status, out);
    }

    /* Allocates GPU memory now; see ordo_reserve.                                                 */
    result<void> reserve(std::size_t bytes) { return this->done(ordo_reserve(get(), bytes)); }

  private:
    explicit basic_context(ordo_ctx *made) noexcept { this->adopt(made); }
};

using context = basic_context<true>;      /* methods throw ordo::error      */
using try_context = basic_context<false>; /* methods return ordo::expected  */

} // namespace ordo

#endif
