/* test_hpp.cpp - ordo.hpp: deduced types, options, exceptions and expected. */
#include <ordo.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

namespace
{

int failures;

void check(bool ok, char const *text, int line)
{
    if (!ok) {
        std::fprintf(stderr, "test_hpp.cpp:%d: %s\n", line, text);
        failures++;
    }
}
#define CHECK(...) check((__VA_ARGS__), #__VA_ARGS__, __LINE__)

static_assert(ordo::type_of_v<std::int8_t> == ORDO_I8 && ordo::type_of_v<std::uint8_t> == ORDO_U8);
static_assert(ordo::type_of_v<short> == ORDO_I16 && ordo::type_of_v<unsigned> == ORDO_U32);
static_assert(ordo::type_of_v<long long> == ORDO_I64);
static_assert(ordo::type_of_v<unsigned long long> == ORDO_U64);
static_assert(ordo::type_of_v<char> == (std::is_signed_v<char> ? ORDO_I8 : ORDO_U8));
static_assert(ordo::type_of_v<float> == ORDO_F32 && ordo::type_of_v<double> == ORDO_F64);
static_assert(!ordo::key<bool> && !ordo::key<long double> && !ordo::key<std::string>);
static_assert(!ordo::mutable_keys<std::vector<int> const &>);

template <class T> std::vector<T> numbers(std::size_t n)
{
    std::vector<T> keys(n);
    std::uint32_t  x = 12345;
    for (T &key : keys)
        key = static_cast<T>((x = x * 1664525u + 1013904223u) >> 20);
    return keys;
}

template <class T> void test_type(ordo::context &ctx)
{
    for (std::size_t n : {0u, 1u, 2u, 100u, 3000u}) {
        auto const keys = numbers<T>(n);
        auto       expected = keys;
        std::sort(expected.begin(), expected.end());
        auto sorted = keys;
        ctx.sort(sorted);
        CHECK(sorted == expected);
        CHECK(ctx.is_sorted(sorted) && ctx.radius(sorted) == 0 && ctx.runs(sorted) == (n ? 1 : 0));
        std::vector<T> copy(n);
        ctx.sort_into(keys, copy, {.descending = true});
        std::reverse(copy.begin(), copy.end());
        CHECK(copy == expected);

        auto const order = ctx.argsort(keys);
        auto const small = ctx.argsort<int>(keys);
        CHECK(std::equal(order.begin(), order.end(), small.begin(), small.end(),
                         [](std::size_t a, int b) { return a == static_cast<std::size_t>(b); }));
        auto const ranks = ctx.rank(keys, {.ties = ORDO_TIES_ORDINAL});
        for (std::size_t i = 0; i < n; i++)
            CHECK(keys[order[i]] == expected[i] && ranks[order[i]] == i + 1);
        CHECK(ctx.rank_sorted<double>(sorted, {.check = true, .ties = ORDO_TIES_AVERAGE}) ==
              ctx.rank<double>(sorted, {.ties = ORDO_TIES_AVERAGE}));

        auto              pairs = keys;
        std::vector<long> values(n);
        std::iota(values.begin(), values.end(), 0);
        ctx.sort_pairs(pairs, values, {.stable = true});
        CHECK(pairs == expected);
        for (std::size_t i = 0; i < n; i++)
            CHECK(static_cast<std::size_t>(values[i]) == order[i]);
        if (n == 0)
            continue;
        CHECK(ctx.select(keys, n / 2) == expected[n / 2]);
        std::array<std::size_t, 2> const ends{0, n - 1};
        CHECK(ctx.select(keys, ends) == std::vector<T>{expected.front(), expected.back()});
        std::array<double, 2> const q{0.0, 1.0};
        CHECK(ctx.quantiles(keys, q) == std::vector<double>{static_cast<double>(expected.front()),
                                                            static_cast<double>(expected.back())});
        auto const top = ctx.topk(keys, 1, {.descending = true});
        CHECK(top.values.at(0) == expected.back() && keys[top.indices.at(0)] == expected.back());
        auto const maxima = ctx.scan(ORDO_MAX, keys);
        CHECK(maxima.back() == expected.back());
    }
}

void test_segments_and_sums(ordo::context &ctx)
{
    std::vector<double> rows{3, 1, 2, 9, 7, 8};
    ordo_segments       two{};
    two.struct_size = sizeof two;
    two.count = 2;
    two.length = 3;
    std::array<double, 1> const half{0.5};
    CHECK(ctx.quantiles(rows, half, {.segments = &two}) == std::vector<double>{2, 8});
    ctx.sort(rows, {.segments = &two});
    CHECK(rows == std::vector<double>{1, 2, 3, 7, 8, 9});
    CHECK(ctx.median(rows) == 5);
    std::array<std::int32_t, 3> const few{1, 2, 3};
    CHECK(ctx.scan<std::int64_t>(ORDO_SUM, few) == std::vector<std::int64_t>{1, 3, 6});
    CHECK(ctx.scan<std::int64_t>(ORDO_SUM, few, {.exclusive = true}) ==
          std::vector<std::int64_t>{0, 1, 3});
    std::vector<double> const holes{1, std::numeric_limits<double>::quiet_NaN(), 3};
    CHECK(ctx.median(holes, {.nans = ORDO_NANS_OMIT}) == 2);
    CHECK(std::isnan(ctx.median(holes, {.nans = ORDO_NANS_PROPAGATE})));
    CHECK(ctx.topk(holes, 3, {.nans = ORDO_NANS_OMIT}).values == std::vector<double>{1, 3});
}

void test_errors(ordo::context &ctx)
{
    std::vector<int> keys{2, 1};
    try {
        (void)ctx.rank_sorted(keys, {.check = true});
        CHECK(false);
    } catch (ordo::error const &e) {
        CHECK(e.status() == ORDO_E_ORDER && std::string(e.what()).size() > 3);
    }
    std::vector<int> three(3);
    try {
        ctx.sort_into(keys, three);
        CHECK(false);
    } catch (ordo::error const &e) {
        CHECK(e.status() == ORDO_E_ARG);
    }

    auto made = ordo::try_context::make({.where = ORDO_CPU, .threads = 1});
    CHECK(made.has_value());
    ordo::try_context quiet = std::move(made).value();
    CHECK(quiet.sort(keys).has_value() && keys[0] == 1);
    auto const bad = quiet.select(keys, 9);
    CHECK(!bad.has_value() && bad.error().status == ORDO_E_ARG && !bad.error().reason.empty());
    auto ranks = quiet.rank(keys);
    CHECK(ranks && (*ranks)[1] == 2);
    std::array<int, 2> const falling{2, 1};
    auto                     wrong = quiet.rank_sorted(falling, {.check = true});
    try {
        (void)wrong.value();
        CHECK(false);
    } catch (std::exception const &) {
    }
    CHECK(quiet.get() != nullptr);
}

} // namespace

int main()
{
    ordo::context ctx({.where = ORDO_CPU, .threads = 2});
    test_type<char>(ctx);
    test_type<signed char>(ctx);
    test_type<std::uint16_t>(ctx);
    test_type<int>(ctx);
    test_type<long>(ctx);
    test_type<long long>(ctx);
    test_type<unsigned long long>(ctx);
    test_type<float>(ctx);
    test_type<double>(ctx);
    test_segments_and_sums(ctx);
    test_errors(ctx);
    if (failures == 0)
        std::puts("test_hpp: ok");
    return failures != 0;
}
