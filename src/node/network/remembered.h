// What is made once for each of a few keys, and made again when it is asked for after having been dropped: with more
// than `max` keys all are dropped, so that what is held does not grow with the keys that were ever asked for.
#pragma once

#include <cstddef>
#include <map>
#include <utility>

namespace muster::node {

template <class Key, class Value>
class Remembered {
public:
    explicit Remembered(std::size_t max) : max_(max) {}

    // Valid until the next call. `make` gives a Value.
    template <class Make>
    const Value& get(const Key& key, const Make& make) {
        if (const auto found = values_.find(key); found != values_.end()) return found->second;
        if (values_.size() >= max_) values_.clear();
        return values_.emplace(key, make()).first->second;
    }
    void clear() { values_.clear(); }
    std::size_t size() const { return values_.size(); }

private:
    const std::size_t max_;
    std::map<Key, Value> values_;
};

}  // namespace muster::node
