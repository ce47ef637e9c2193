/* test_hpp.cpp - ordo.hpp: every verb, deduced types, options, exceptions and expected. */
#include <ordo.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <numeric>
#include <span>
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

template <class T>
void test_sets(ordo::context &ctx, std::vector<T> const &keys, std::vector<T> const &sorted)
{
    std::vector<T> distinct(keys.size());
    distinct.resize(ctx.unique_into(keys, distinct));
    auto expected = sorted;
    expected.erase(std::unique(expected.begin(), expected.end()), expected.end());
    CHECK(distinct == expected);
    std::vector<std::size_t> left(keys.size());
    std::vector<int>         right(keys.size());
    ctx.search_into(sorted, keys, left);
    ctx.search_into(sorted, keys, right, ORDO_SIDE_RIGHT);
    for (std::size_t i = 0; i < keys.size(); i++) {
        auto const [first, last] = std::equal_range(sorted.begin(), sorted.end(), keys[i]);
        CHECK(left[i] == static_cast<std::size_t>(first - sorted.begin()) &&
              right[i] == static_cast<int>(last - sorted.begin()));
    }
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
        test_sets(ctx, keys, sorted);
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

void test_weights_and_windows(ordo::context &ctx)
{
    std::vector<double> const       keys{5, 1, 3};
    std::vector<std::int32_t> const weights{1, 4, 2};
    CHECK(ctx.median(keys, {.weights = weights}) == 1);
    CHECK(ctx.rank(keys, {.ties = ORDO_TIES_MAX, .weights = weights}) ==
          std::vector<std::uint64_t>{7, 4, 6});
    std::array<double, 2> const q{0, 1};
    CHECK(ctx.quantiles(keys, q, {.weights = weights}) == std::vector<double>{1, 5});
    std::array<int, 2> const two{1, 1};
    for (int call = 0; call < 4; call++)
        try {
            std::vector<double> out(3);
            if (call == 0)
                (void)ctx.median(keys, {.weights = two});
            else if (call == 1)
                (void)ctx.quantiles(keys, q, {.weights = two});
            else if (call == 2)
                (void)ctx.rank(keys, {.weights = two});
            else
                ctx.rank_into(keys, out, {.weights = two});
            CHECK(false);
        } catch (ordo::error const &e) {
            CHECK(e.status() == ORDO_E_ARG && std::string(e.what()).find("weights") < 40);
        }

    std::vector<float> const in{4, 2, 9, 5, 5, 1};
    CHECK(ctx.moving(ORDO_MOVING_MEDIAN, in, 3, {.min_periods = 1}) ==
          std::vector<double>{4, 3, 4, 5, 5, 5});
    CHECK(ctx.moving<float>(ORDO_MOVING_MAX, in, 2, {.min_periods = 1}) ==
          std::vector<float>{4, 4, 9, 9, 5, 5});
    std::vector<double> ranks(6);
    ctx.moving_into(ORDO_MOVING_RANK, in, 6, ranks, {.descending = true, .min_periods = 1});
    CHECK(ranks == std::vector<double>{1, 2, 1, 2, 2, 6});

    auto const around = ctx.nth(in, 3);
    CHECK(around.values == std::vector<float>{4, 2, 1, 5, 5, 9});
    CHECK(around.indices == std::vector<std::size_t>{0, 1, 5, 3, 4, 2});
    std::vector<float> out(6);
    ctx.nth_into(in, 0, out, {.descending = true});
    CHECK(out[0] == 9);
    CHECK(ctx.nth(in, 3, {.any_order = true}).values[3] == 5);
    try { /* ordo_select does not have the flag */
        (void)ctx.select(in, 3, {.any_order = true});
        CHECK(false);
    } catch (ordo::error const &e) {
        CHECK(e.status() == ORDO_E_VERSION);
    }
}

struct trade {
    int    id;
    double price;
};

void test_elements(ordo::context &ctx)
{
    std::vector<trade> trades{{1, 3.5}, {2, 1.5}, {3, 2.5}};
    ctx.sort_records(trades, &trade::price);
    CHECK(trades[0].id == 2 && trades[1].id == 3 && trades[2].id == 1);
    ctx.sort_by(trades, [](trade const &a, trade const &b) { return a.id > b.id; });
    CHECK(trades[0].id == 3 && trades[1].id == 2 && trades[2].id == 1);
    std::vector<trade> none;
    ctx.sort_records(none, &trade::id);

    std::array<std::uint32_t, 2> const at{2, 0};
    std::vector<trade>                 two(2);
    ctx.gather_into(trades, at, two);
    CHECK(two[0].id == 1 && two[1].id == 3);
    std::vector<int> scattered(3, 7);
    ctx.scatter_into(std::array<int, 2>{5, 6}, at, scattered);
    CHECK(scattered == std::vector<int>{6, 7, 5});
    std::vector<int> copied(3);
    ctx.copy_into(scattered, copied);
    CHECK(copied == scattered);

    std::array<bool, 4> const set{true, false, true, true};
    CHECK(ctx.scan_bits<std::uint32_t>(set) == std::vector<std::uint32_t>{1, 1, 2, 3});
    auto const split = ctx.partition(set, std::array<int, 4>{1, 2, 3, 4});
    CHECK(split.elements == std::vector<int>{1, 3, 4, 2} && split.first == 3);
    auto const keys = ctx.generate<int>(ORDO_DIST_SORTED, 100, {.seed = 3});
    CHECK(keys.size() == 100 && ctx.is_sorted(keys));
    std::vector<int> again(100);
    ctx.generate_into(ORDO_DIST_SORTED, again, {.seed = 3});
    CHECK(again == keys);
    CHECK(ctx.report().n == 100 && ctx.info().threads == 2);
}

void test_groups(ordo::context &ctx)
{
    std::vector<int> const   groups{7, 3, 7, 3, 7};
    std::vector<float> const keys{2, 9, 1, 8, 3};
    auto const               counts = ctx.group_counts(groups);
    CHECK(counts.keys == std::vector<int>{3, 7} &&
          counts.sizes == std::vector<std::uint64_t>{2, 3});
    CHECK(ctx.group_rank(groups, keys) == std::vector<std::uint64_t>{2, 2, 1, 1, 3});
    CHECK(ctx.group_argsort(groups, keys) == std::vector<std::size_t>{3, 1, 2, 0, 4});
    CHECK(ctx.group_median(groups, keys).values == std::vector<double>{8.5, 2});
    std::vector<int> const weights{1, 1, 1, 3, 4}, too_few{1, 1};
    CHECK(ctx.group_median(groups, keys, {.weights = weights}).values == std::vector<double>{8, 3});
    std::array<double, 2> const q{0, 1};
    auto const                  ends = ctx.group_quantiles(groups, keys, q);
    CHECK(ends.values == std::vector<double>{8, 9, 1, 3} && ends.each == 2);
    auto const top = ctx.group_topk(groups, keys, 2, {.descending = true});
    CHECK(top.keys == counts.keys && top.values == std::vector<float>{9, 8, 3, 2});
    CHECK(top.indices == std::vector<std::size_t>{1, 3, 4, 0});
    CHECK(top.found == std::vector<std::uint64_t>{2, 2});

    std::array<ordo::column, 2> const columns{ordo::column(groups), ordo::column(keys, true)};
    CHECK(ctx.lexsort(columns) == std::vector<std::size_t>{1, 3, 4, 0, 2});
    CHECK(ctx.lexrank(columns) == std::vector<std::uint64_t>{4, 1, 5, 2, 3});
    auto quiet = ordo::try_context::make({.threads = 1});
    CHECK(quiet && !quiet->group_rank(groups, std::array<float, 2>{}));
    CHECK(quiet && quiet->group_median(groups, keys)->values.size() == 2);
    CHECK(quiet && !quiet->group_median(groups, keys, {.weights = too_few}));
    CHECK(quiet && !quiet->lexsort<int>(std::span<ordo::column const>{}));
}

void test_strings(ordo::context &ctx)
{
    std::vector<std::string> const words{"pear", "fig", "apple", "fig"};
    CHECK(ctx.sort_strings(words) == std::vector<std::string>{"apple", "fig", "fig", "pear"});
    CHECK(ctx.argsort_strings<int>(words) == std::vector<int>{2, 1, 3, 0});
    CHECK(ctx.rank_strings(words) == std::vector<std::uint64_t>{4, 2, 1, 2});
    std::array<std::size_t, 1> const first{0};
    CHECK(ctx.select_strings(words, first) == std::vector<std::uint64_t>{2});
    std::array<char const *, 3> pointers{"c", "a", "b"};
    CHECK(ctx.sort_strings(pointers, {.descending = true})[0] == "c");
    ctx.sort_pointers(pointers);
    CHECK(pointers[0] == std::string("a") && pointers[2] == std::string("c"));
    CHECK(ctx.generate_strings(ORDO_DIST_STRINGS, 5, {.seed = 1}).size() == 5);
    auto const records = ctx.parse_fasta(">a\nAC\nGT\n>b\nA\n");
    CHECK(records.headers == std::vector<std::string>{"a", "b"});
    CHECK(records.sequences == std::vector<std::string>{"ACGT", "A"});
    CHECK(records.starts == std::vector<std::uint64_t>{0, 9, 14});
    CHECK(ctx.parse_fasta("").headers.empty() && ctx.sort_strings(std::array<char *, 0>{}).empty());
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
    test_weights_and_windows(ctx);
    test_elements(ctx);
    test_groups(ctx);
    test_strings(ctx);
    test_errors(ctx);
    if (failures == 0)
        std::puts("test_hpp: ok");
    return failures != 0;
}
