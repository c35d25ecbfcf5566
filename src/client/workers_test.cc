#include "client/workers.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "os/testing/virtual_loop.h"

namespace muster::client {
namespace workers_test {

struct WorkersTest : testing::Test {
    os::Task<Worked> work(Text key) {
        ++tries[key];
        if (key == "later") co_await os::sleep_for(loop, 1s);
        if (key == "later" || key == "at once") throw std::length_error("too long");
        co_return Worked::kDone;
    }
    // Throws before there is a Task.
    os::Task<Worked> begin(Text key) {
        if (key == "early") {
            ++tries[key];
            throw std::length_error("too long");
        }
        return work(std::move(key));
    }

    os::VirtualLoop loop;
    WorkQueue<Text> queue{loop};
    std::map<Text, int> tries;
};

TEST_F(WorkersTest, AnExceptionCostsItsKeyOnlyWhichIsTriedAgainLaterEachTime) {
    std::map<Text, int> heard;
    Workers<Text> workers(
        loop, queue, 2, [this](Text key) { return begin(std::move(key)); },
        [&](const Text& key, const std::string& why) {
            EXPECT_EQ(why, "too long");
            ++heard[key];
        });
    workers.start();
    for (const char* key : {"later", "at once", "early"}) queue.add(key);
    loop.run_for(10s);
    for (int i = 0; i < 5; ++i) queue.add("fine" + std::to_string(i));
    loop.run_for(1ms);
    for (int i = 0; i < 5; ++i) EXPECT_EQ(tries["fine" + std::to_string(i)], 1) << "others have their turn";
    for (const char* key : {"later", "at once", "early"}) {
        EXPECT_GT(tries[key], 2) << key;
        EXPECT_LT(tries[key], 100) << key;
        EXPECT_GE(tries[key], heard[key]) << key;
        EXPECT_GE(heard[key] + 1, tries[key]) << key;
    }
}

}  // namespace workers_test
}  // namespace muster::client
