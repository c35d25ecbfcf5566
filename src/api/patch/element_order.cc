#include "api/patch/element_order.h"

#include <algorithm>
#include <limits>
#include <string_view>
#include <unordered_map>

namespace muster::api {
namespace {

constexpr std::size_t kNowhere = std::numeric_limits<std::size_t>::max();

class Positions {
public:
    explicit Positions(const std::vector<std::string>& keys) {
        for (std::size_t i = 0; i < keys.size(); ++i) first_.try_emplace(keys[i], i);
    }
    std::size_t of(std::string_view key) const {
        const auto found = first_.find(key);
        return found == first_.end() ? kNowhere : found->second;
    }

private:
    std::unordered_map<std::string_view, std::size_t> first_;
};

void sort_by(std::vector<KeyedElement>& elements, const Positions& positions) {
    std::stable_sort(elements.begin(), elements.end(), [&](const KeyedElement& a, const KeyedElement& b) {
        return positions.of(a.key) < positions.of(b.key);
    });
}

}  // namespace

std::vector<KeyedElement> order_elements(std::vector<KeyedElement> elements, const std::vector<std::string>& wanted,
                                         const std::vector<std::string>& live) {
    const Positions in_wanted(wanted);
    const Positions in_live(live);
    std::vector<KeyedElement> named;
    std::vector<KeyedElement> others;
    for (auto& element : elements)
        (in_wanted.of(element.key) != kNowhere ? named : others).push_back(std::move(element));
    sort_by(named, in_wanted);
    sort_by(others, in_live);

    std::vector<KeyedElement> ordered;
    ordered.reserve(elements.size());
    auto other = others.begin();
    for (auto& element : named) {
        const std::size_t place = in_live.of(element.key);
        while (other != others.end() && place != kNowhere && in_live.of(other->key) < place)
            ordered.push_back(std::move(*other++));
        ordered.push_back(std::move(element));
    }
    for (; other != others.end(); ++other) ordered.push_back(std::move(*other));
    return ordered;
}

}  // namespace muster::api
