#include "client/recorder.h"

#include <gtest/gtest.h>

#include "api/kinds/core/config.h"
#include "os/testing/virtual_loop.h"

namespace muster::client {
namespace recorder_test {

using api::core::ConfigMap;
using api::core::Event;

// Takes events, and answers when it is told to.
class EventClient final : public Client {
public:
    explicit EventClient(os::VirtualLoop& loop) : allowed_(loop) {}

    std::vector<std::string> writes;
    int waiting = 0;
    bool gone = false;  // events that were created
    void answer() {
        ++answers_;
        allowed_.notify();
    }

    os::Task<Result<AnyObject>> get_any(const api::KindInfo&, ObjectName, View) override { co_return refused(); }
    os::Task<Result<AnyListing>> list_any(const api::KindInfo&, std::string, View) override { co_return refused(); }
    os::Task<Result<std::unique_ptr<AnyWatch>>> watch_any(const api::KindInfo&, std::string, std::string,
                                                          View) override {
        co_return refused();
    }
    os::Task<Result<AnyObject>> patch_any(const api::KindInfo&, ObjectName, MetadataPatch, View) override {
        co_return refused();
    }
    os::Task<Result<void>> remove_any(const api::KindInfo&, ObjectName, Removal) override { co_return refused(); }
    os::Task<Result<void>> bind(ObjectName, Text, Text) override { co_return refused(); }
    os::Task<Result<AnyObject>> create_any(const api::KindInfo&, AnyObject draft) override {
        writes.push_back("create");
        co_await answered();
        co_return draft;
    }
    os::Task<Result<AnyObject>> change_any(const api::KindInfo& kind, AnyObject before, AnyObject after,
                                           Part part) override {
        const auto form = patch_form_of(kind);
        writes.push_back(format_change(kind, before.get(), after.get(), part, form).value());
        co_await answered();
        if (gone) co_return Error{Code::kNotFound, "it has expired"};
        co_return after;
    }

private:
    os::Task<void> answered() {
        ++waiting;
        while (answers_ == 0) co_await allowed_.wait();
        --answers_;
        --waiting;
    }
    static Error refused() { return {Code::kMethodNotAllowed, "not in this test"}; }
    os::Event allowed_;
    int answers_ = 0;
};

struct RecorderTest : testing::Test {
    void note(const char* uid = "u") {
        ConfigMap map;
        map.metadata.namespace_ = "n";
        map.metadata.name = "m";
        map.metadata.uid = uid;
        recorder.note(map, Note::warning("FailedCreate", "no quota"));
        loop.run_until_idle();
    }
    void answer() {
        client.answer();
        loop.run_until_idle();
    }
    os::VirtualLoop loop;
    EventClient client{loop};
    Recorder recorder{loop, client, "job-controller"};
};

TEST_F(RecorderTest, TheSameAgainIsAPatchOfTheCountWithoutAReadAndOneAtATime) {
    note();
    note();
    note();
    EXPECT_EQ(client.waiting, 1) << "the event is not there yet";
    answer();
    ASSERT_EQ(client.writes.size(), 2u);
    EXPECT_EQ(client.writes[0], "create");
    EXPECT_EQ(client.writes[1].find(R"({"message":"no quota","lastTimestamp":")"), 0u) << client.writes[1];
    EXPECT_NE(client.writes[1].find(R"("count":3})"), std::string::npos) << client.writes[1];
    note();
    EXPECT_EQ(client.writes.size(), 2u) << "the last write is under way";
    answer();
    ASSERT_EQ(client.writes.size(), 3u);
    EXPECT_NE(client.writes[2].find(R"("count":4})"), std::string::npos) << client.writes[2];
    answer();
    note();
    EXPECT_EQ(client.writes.size(), 4u);
}

TEST_F(RecorderTest, TwoObjectsOfOneNameInOneInstantDoNoHarm) {
    note("u");
    note("v");
    answer();
    answer();
    note("u");
    EXPECT_EQ(client.writes.size(), 3u);
}

TEST_F(RecorderTest, AnEventThatIsNotThereAnyMoreIsWrittenAsNew) {
    note();
    answer();
    client.gone = true;
    note();
    answer();
    EXPECT_EQ(client.writes.size(), 2u);
    note();
    ASSERT_EQ(client.writes.size(), 3u);
    EXPECT_EQ(client.writes[2], "create");
}

}  // namespace recorder_test
}  // namespace muster::client
