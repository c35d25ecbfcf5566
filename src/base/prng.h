// Chance that can be repeated: the same seed gives the same numbers on every machine and in every build. Names of
// pods, jitter of retries and everything the simulator throws dice for come from here. Not for secrets.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <utility>

#include "base/check.h"

namespace muster {

// One step of splitmix64: a good hash of the state, which it advances.
constexpr std::uint64_t splitmix64(std::uint64_t& state) {
    std::uint64_t mixed = (state += 0x9e3779b97f4a7c15u);
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebu;
    return mixed ^ (mixed >> 31);
}

// xoshiro256**, its state filled by splitmix64.
class Prng {
public:
    using State = std::array<std::uint64_t, 4>;
    using result_type = std::uint64_t;

    explicit constexpr Prng(std::uint64_t seed) {
        for (std::uint64_t& word : state_) word = splitmix64(seed);
    }
    // The state must not be all zero.
    explicit constexpr Prng(const State& state) : state_(state) {}

    constexpr std::uint64_t next() {
        const std::uint64_t result = rotate_left(state_[1] * 5, 7) * 9;
        const std::uint64_t shifted = state_[1] << 17;
        state_[2] ^= state_[0];
        state_[3] ^= state_[1];
        state_[1] ^= state_[2];
        state_[0] ^= state_[3];
        state_[2] ^= shifted;
        state_[3] = rotate_left(state_[3], 45);
        return result;
    }

    // A number in [0, bound), each as likely as the others. The bound must not be 0.
    std::uint64_t below(std::uint64_t bound) {
        CHECK(bound != 0);
        // Multiplying maps 2^64 numbers onto `bound` equal stretches and a rest; what falls into the rest is drawn
        // again.
        Wide product = static_cast<Wide>(next()) * bound;
        if (static_cast<std::uint64_t>(product) < bound) {
            const std::uint64_t rest = (0 - bound) % bound;
            while (static_cast<std::uint64_t>(product) < rest) product = static_cast<Wide>(next()) * bound;
        }
        return static_cast<std::uint64_t>(product >> 64);
    }
    // A number in [first, last], each as likely as the others. first must not be greater than last.
    std::int64_t between(std::int64_t first, std::int64_t last) {
        CHECK(first <= last);
        const std::uint64_t span = static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first);
        const std::uint64_t drawn = span == ~std::uint64_t{0} ? next() : below(span + 1);
        return static_cast<std::int64_t>(static_cast<std::uint64_t>(first) + drawn);
    }
    // A number in [0, 1).
    double unit() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }
    // True `hits` times in `tries`, on average. Draws even when the answer is certain, so that changing the odds of
    // one decision does not shift the numbers of the next.
    bool chance(std::uint64_t hits, std::uint64_t tries) { return below(tries) < hits; }
    bool chance(double probability) { return unit() < probability; }

    template <class T>
    void shuffle(std::span<T> items) {
        for (std::size_t left = items.size(); left > 1; --left) std::swap(items[left - 1], items[below(left)]);
    }
    template <class Container>
    void shuffle(Container& items) {
        shuffle(std::span(items));
    }
    // The container must not be empty.
    template <class Container>
    auto& pick(Container& items) {
        return items[below(items.size())];
    }
    // A generator of its own: what one part draws does not change what another sees.
    Prng split() { return Prng(next()); }

    // For the algorithms of the standard library; those are not the same on every machine, ours above are.
    constexpr std::uint64_t operator()() { return next(); }
    static constexpr std::uint64_t min() { return 0; }
    static constexpr std::uint64_t max() { return ~std::uint64_t{0}; }

private:
    __extension__ using Wide = unsigned __int128;
    static constexpr std::uint64_t rotate_left(std::uint64_t word, int bits) {
        return (word << bits) | (word >> (64 - bits));
    }

    State state_{};
};

}  // namespace muster
