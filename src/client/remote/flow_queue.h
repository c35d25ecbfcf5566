// What waits, in flows that take turns: the first of one flow, then the first of the next. A flow with little to do
// therefore never waits for all that another flow has waiting. A pure structure: the limiter's lines.
#pragma once

#include <deque>
#include <map>
#include <string>

#include "base/check.h"

namespace muster::client {

template <class Item>
class FlowQueue {
public:
    bool empty() const { return turns_.empty(); }

    void push(const std::string& flow, Item item) {
        const auto [found, is_new] = flows_.try_emplace(flow);
        if (is_new) turns_.push_back(found);
        found->second.push_back(std::move(item));
    }
    // The first of the flow whose turn it is. Must not be empty.
    Item pop() {
        CHECK(!empty());
        const auto flow = turns_.front();
        turns_.pop_front();
        Item item = std::move(flow->second.front());
        flow->second.pop_front();
        if (flow->second.empty())
            flows_.erase(flow);
        else
            turns_.push_back(flow);
        return item;
    }
    // The item leaves its flow, if it is there.
    void erase(const std::string& flow, const Item& item) {
        const auto found = flows_.find(flow);
        if (found == flows_.end()) return;
        std::erase(found->second, item);
        if (!found->second.empty()) return;
        std::erase(turns_, found);
        flows_.erase(found);
    }

private:
    using Flows = std::map<std::string, std::deque<Item>>;
    Flows flows_;  // none is empty
    std::deque<typename Flows::iterator> turns_;
};

}  // namespace muster::client
