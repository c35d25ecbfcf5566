#include "client/remote/flow_queue.h"

#include <gtest/gtest.h>

namespace muster::client {
namespace flow_queue_test {

// Each letter is an item of the flow of that letter; "-x" takes the last x out of line, "." takes the next.
std::string run(std::string_view steps) {
    FlowQueue<int> queue;
    std::string flow_of_item;
    std::string out;
    const auto pop = [&] { out += flow_of_item[static_cast<std::size_t>(queue.pop())]; };
    for (std::size_t i = 0; i < steps.size(); ++i) {
        if (steps[i] == '.') {
            pop();
        } else if (steps[i] == '-') {
            const char flow = steps[++i];
            queue.erase(std::string(1, flow), static_cast<int>(flow_of_item.rfind(flow)));
        } else {
            queue.push(std::string(1, steps[i]), static_cast<int>(flow_of_item.size()));
            flow_of_item += steps[i];
        }
    }
    while (!queue.empty()) pop();
    return out;
}

TEST(FlowQueue, FlowsTakeTurns) {
    const struct {
        const char* sentence;
        const char* steps;
        const char* order;
    } cases[] = {
        {"nothing", "", ""},
        {"one flow goes in its order", "aaa", "aaa"},
        {"a small flow does not wait for a large one", "aaaaaab", "abaaaaa"},
        {"three take turns", "aaaabbc", "abcabaa"},
        {"who comes later waits for one turn of each", "aaaab.c", "abacaa"},
        {"a flow that comes again stands behind the others", "aab.b", "abab"},
        {"a flow has no credit for the time in which it had nothing", "aaaa...bbb", "aaaabbb"},
        {"who leaves the line leaves the others as they are", "aabc-b", "aca"},
        {"the last of a flow leaves", "ab-a", "b"},
        {"who is not in line cannot leave it", "ab.-a", "ab"},
        {"the first leaves and the turn stays", "aab-ac", "abc"},
    };
    for (const auto& each : cases) EXPECT_EQ(run(each.steps), each.order) << each.sentence;
}

TEST(FlowQueue, ItemsOfAFlowStayInOrder) {
    FlowQueue<int> queue;
    for (int i = 0; i < 4; ++i) queue.push("a", i);
    queue.push("b", 10);
    queue.erase("a", 1);
    std::string out;
    while (!queue.empty()) out += std::to_string(queue.pop()) + " ";
    EXPECT_EQ(out, "0 10 2 3 ");
}

}  // namespace flow_queue_test
}  // namespace muster::client
