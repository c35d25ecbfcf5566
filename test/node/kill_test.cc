// Server and node helper killed at random moments while pods run: nothing runs twice, nothing is lost, nothing is left,
// and of each it is known how it ended.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "base/prng.h"
#include "test/node/node_under_test.h"

namespace muster::e2e {
namespace kill_test {

constexpr int kPodsAtOnce = 200;

// How often each line is in the file that all processes append to.
std::map<std::string, int> read_marks(const NodeUnderTest& node) {
    std::map<std::string, int> marks;
    std::istringstream lines(read_text(node.directory() + "/marks"));
    for (std::string line; std::getline(lines, line);) ++marks[line];
    return marks;
}

class Killing {
public:
    // With volumes when the server is root: others need not be given namespaces.
    Killing(NodeUnderTest& node, std::uint64_t seed, bool volumes) : node_(node), prng_(seed), volumes_(volumes) {}

    void run(int rounds) {
        add_job();
        for (int round = 0; round < rounds; ++round) {
            std::this_thread::sleep_for(std::chrono::microseconds(prng_.below(400'000)));
            const std::uint64_t target = prng_.below(3);
            if (target != 0) node_.kill_helper();
            if (target != 1) {
                node_.kill_server();
                node_.start();
            }
            saw_groups_ = saw_groups_ || node_.has_groups();
            if (unfinished() < kPodsAtOnce) add_job();
        }
    }

    void check_all_ran_once() {
        ASSERT_TRUE(node_.wait_for([&] { return unfinished() == 0; })) << unfinished() << " pods are not over";
        const auto marks = read_marks(node_);
        const auto pods = node_.get(NodeUnderTest::pods());
        ASSERT_TRUE(pods);
        std::size_t succeeded = 0;
        std::set<std::string> addresses;
        for (const boost::json::value& pod : pods->at("items").as_array()) {
            const std::string name(pod.at("metadata").at("name").as_string());
            const int begun = count(marks, "begin " + run_name(pod));
            const int ended = count(marks, "end " + run_name(pod));
            EXPECT_EQ(begun, 1) << name << " ran once";
            EXPECT_EQ(ended, 1) << name << " ran to its end";
            // What a script exits with comes from its index, so that a code that was made up shows.
            const auto& end = pod.at("status").at("containerStatuses").at(0).at("state").at("terminated");
            EXPECT_EQ(end.at("exitCode"), exit_code(pod)) << name << boost::json::serialize(end);
            const std::string address(pod.at("status").at("podIP").as_string());
            EXPECT_EQ(count(marks, "address " + run_name(pod) + ' ' + address), 1) << name << " was told " << address;
            EXPECT_TRUE(addresses.insert(address).second) << name << " shares " << address;
            succeeded += pod.at("status").at("phase") == "Succeeded" ? 1 : 0;
        }
        EXPECT_EQ(pods->at("items").as_array().size(), static_cast<std::size_t>(jobs_ * kPodsAtOnce));
        for (const auto& [mark, times] : marks) EXPECT_EQ(times, 1) << mark;
        std::printf("%d pods: %zu succeeded\n", jobs_ * kPodsAtOnce, succeeded);
    }

    void check_nothing_is_left() {
        const bool limits = volumes_ && os::Cgroups::find_place().ok();
        EXPECT_TRUE(saw_groups_ || !limits) << "there was nothing to leave";
        for (int i = 0; i < jobs_; ++i)
            node_.ask("DELETE", NodeUnderTest::jobs() + "/" + job_name(i) + "?propagationPolicy=Background");
        EXPECT_TRUE(node_.wait_for([&] {
            const auto pods = node_.get(NodeUnderTest::pods());
            return pods && pods->at("items").as_array().empty();
        }));
        EXPECT_TRUE(node_.wait_for([&] { return node_.leftovers().empty(); })) << node_.leftovers();
        EXPECT_LT(NodeUnderTest::descriptors_of(node_.helper()), 40u);
    }

private:
    static int count(const std::map<std::string, int>& marks, const std::string& mark) {
        const auto found = marks.find(mark);
        return found == marks.end() ? 0 : found->second;
    }
    static std::string job_name(int number) { return "job-" + std::to_string(number); }
    static std::string run_name(const boost::json::value& pod) {
        const auto& labels = pod.at("metadata").at("labels").as_object();
        return std::string(labels.at("batch.kubernetes.io/job-name").as_string()) + ' ' +
               std::string(labels.at("batch.kubernetes.io/job-completion-index").as_string());
    }

    static int exit_code(const boost::json::value& pod) {
        const auto& labels = pod.at("metadata").at("labels").as_object();
        const std::string index(labels.at("batch.kubernetes.io/job-completion-index").as_string());
        return std::stoi(index) % 5 == 4 ? 3 : 0;
    }

    // One that leaves something of every kind behind: a limit makes it a control group, a volume a mount.
    std::string container(const std::string& script) const {
        boost::json::value container = boost::json::parse(node_.container(script));
        container.at("env").as_array().push_back(
            {{"name", "POD_IP"}, {"valueFrom", {{"fieldRef", {{"fieldPath", "status.podIP"}}}}}});
        container.as_object()["resources"] = {{"limits", {{"memory", "256Mi"}}}};
        if (volumes_) {
            boost::json::array mounts;
            mounts.push_back({{"name", "v"}, {"mountPath", "/mnt"}});
            container.as_object()["volumeMounts"] = std::move(mounts);
        }
        return boost::json::serialize(container);
    }

    // Each index has one try, so that a second run of an index is always an error.
    void add_job() {
        const std::string name = job_name(jobs_++);
        const std::string script = "echo begin " + name +
                                   " $JOB_COMPLETION_INDEX >> $D/marks; "
                                   "echo address " +
                                   name +
                                   " $JOB_COMPLETION_INDEX $POD_IP >> $D/marks; "
                                   "sleep $((JOB_COMPLETION_INDEX % 2)).$((JOB_COMPLETION_INDEX % 10)); "
                                   "echo end " +
                                   name +
                                   " $JOB_COMPLETION_INDEX >> $D/marks; "
                                   "[ $((JOB_COMPLETION_INDEX % 5)) = 4 ] && exit 3; exit 0";
        const std::string count_text = std::to_string(kPodsAtOnce);
        const std::string body = R"({"metadata": {"name": ")" + name + R"("}, "spec": {"completions": )" + count_text +
                                 R"(, "parallelism": )" + count_text +
                                 R"(, "completionMode": "Indexed", "backoffLimitPerIndex": 0, "maxFailedIndexes": )" +
                                 count_text + R"(, "template": {"spec": {"restartPolicy": "Never", )" +
                                 (volumes_ ? R"("volumes": [{"name": "v", "emptyDir": {}}], )" : "") +
                                 R"("containers": [)" + container(script) + "]}}}}";
        EXPECT_TRUE(node_.wait_for([&] {
            return node_.ask("POST", NodeUnderTest::jobs(), body) || node_.get(NodeUnderTest::jobs() + "/" + name);
        })) << "no Job can be made";
    }
    int unfinished() {
        const auto jobs = node_.get(NodeUnderTest::jobs());
        if (!jobs) return jobs_ * kPodsAtOnce;
        int left = 0;
        for (const boost::json::value& job : jobs->at("items").as_array()) {
            const auto& status = job.at("status").as_object();
            const auto number = [&](const char* name) {
                const auto* found = status.if_contains(name);
                return found ? static_cast<int>(found->to_number<int>()) : 0;
            };
            if (number("succeeded") + number("failed") < kPodsAtOnce)
                left += kPodsAtOnce - number("succeeded") - number("failed");
        }
        return left;
    }

    NodeUnderTest& node_;
    Prng prng_;
    const bool volumes_;
    int jobs_ = 0;
    bool saw_groups_ = false;
};

TEST(NodeKills, NothingRunsTwiceOrIsLostOrLeft) {
    NodeUnderTest node("kills");
    Killing killing(node, 5, ::getuid() == 0);
    killing.run(50);
    killing.check_all_ran_once();
    killing.check_nothing_is_left();
}

TEST(NodeKills, TheSameAsAnOrdinaryUser) {
    if (::getuid() != 0) GTEST_SKIP() << "the other test is run as an ordinary user already";
    // A user ID without an account, so that no other processes have this user.
    const std::string user = std::to_string(60000 + ::getpid() % 1000);
    NodeUnderTest node("kills-user", {"setpriv", "--reuid", user, "--regid", user, "--clear-groups"}, std::stoi(user));
    Killing killing(node, 6, false);
    killing.run(12);
    killing.check_all_ran_once();
    killing.check_nothing_is_left();
}

// The helper has nothing to do without a server and without runs, and ends; what it has just learnt is kept all the
// same.
TEST(NodeKills, AnEndThatIsLearntTogetherWithTheEndOfTheServerIsWrittenDown) {
    NodeUnderTest node("last-end");
    ASSERT_TRUE(
        node.create_pod("p", node.container("echo $$$$ > $D/pid; while [ ! -e $D/go ]; do sleep 0.01; done; exit 7")));
    ASSERT_TRUE(
        node.wait_for([&] { return node.phase("p") == "Running" && !read_text(node.directory() + "/pid").empty(); }));
    const int run = std::stoi(read_text(node.directory() + "/pid"));
    const int helper = node.helper();
    ASSERT_GT(helper, 0);
    // Both wait for the helper when it goes on.
    ASSERT_EQ(::kill(helper, SIGSTOP), 0);
    std::ofstream(node.directory() + "/go") << "go";
    ASSERT_TRUE(node.wait_for([&] { return !os::process_start_ticks(run); }));
    node.kill_server();
    ASSERT_EQ(::kill(helper, SIGCONT), 0);
    ASSERT_TRUE(node.wait_for([&] { return node.helper() == 0; })) << "the helper goes on without anything to do";
    node.start();
    ASSERT_TRUE(node.wait_for([&] { return node.phase("p") == "Failed"; }));
    const auto pod = node.get(NodeUnderTest::pods() + "/p");
    ASSERT_TRUE(pod);
    const auto& end = pod->at("status").at("containerStatuses").at(0).at("state").at("terminated");
    EXPECT_EQ(end.at("exitCode"), 7) << boost::json::serialize(end);
}

TEST(NodeKills, AThousandPodsGoOnWithoutTheServerAndAreFoundAgain) {
    constexpr int kPods = 1000;
    constexpr int kEnded = 20;
    NodeUnderTest node("thousand");
    const std::string count = std::to_string(kPods);
    const std::string script =
        // Kubernetes makes one $ of two.
        "echo $JOB_COMPLETION_INDEX $$$$ >> $D/marks; "
        "while [ $JOB_COMPLETION_INDEX -lt " +
        std::to_string(kEnded) + " ]; do [ -e $D/go ] && exit 7; sleep 0.1; done; exec sleep 1000";
    ASSERT_TRUE(node.ask("POST", NodeUnderTest::jobs(),
                         R"({"metadata": {"name": "many"}, "spec": {"completions": )" + count + R"(, "parallelism": )" +
                             count +
                             R"(, "completionMode": "Indexed", "backoffLimitPerIndex": 0, "maxFailedIndexes": 1000, )"
                             R"("template": {"spec": {"restartPolicy": "Never", "containers": [)" +
                             node.container(script) + "]}}}}"));
    const auto in_phase = [&](const char* phase) {
        const auto all = node.get(NodeUnderTest::pods());
        int found = 0;
        if (all)
            for (const auto& pod : all->at("items").as_array()) found += pod.at("status").at("phase") == phase ? 1 : 0;
        return found;
    };
    ASSERT_TRUE(node.wait_for([&] { return in_phase("Running") == kPods; })) << in_phase("Running");
    node.kill_server();
    std::ofstream(node.directory() + "/go") << "go";
    std::map<int, int> pids;
    std::istringstream lines(read_text(node.directory() + "/marks"));
    for (int index = 0, pid = 0; lines >> index >> pid;) pids[index] = pid;
    ASSERT_EQ(pids.size(), static_cast<std::size_t>(kPods));
    ASSERT_TRUE(node.wait_for([&] {
        for (int i = 0; i < kEnded; ++i)
            if (os::process_start_ticks(pids[i])) return false;
        return true;
    }));
    for (const auto& [index, pid] : pids) EXPECT_EQ(os::process_start_ticks(pid).has_value(), index >= kEnded) << index;
    node.start();
    EXPECT_TRUE(node.wait_for([&] { return in_phase("Failed") == kEnded; })) << in_phase("Failed");
    EXPECT_EQ(in_phase("Running"), kPods - kEnded);
    const auto pods = node.get(NodeUnderTest::pods());
    ASSERT_TRUE(pods);
    for (const auto& pod : pods->at("items").as_array()) {
        const auto& status = pod.at("status").at("containerStatuses").at(0);
        EXPECT_EQ(status.at("restartCount"), 0);
        if (pod.at("status").at("phase") != "Failed") continue;
        EXPECT_EQ(status.at("state").at("terminated").at("exitCode"), 7);
    }
    EXPECT_EQ(read_marks(node).size(), static_cast<std::size_t>(kPods)) << "none ran twice";
    node.ask("DELETE", NodeUnderTest::jobs() + "/many?propagationPolicy=Background");
    for (const auto& pod : pods->at("items").as_array())
        node.ask("DELETE", NodeUnderTest::pods() + "/" + std::string(pod.at("metadata").at("name").as_string()) +
                               "?gracePeriodSeconds=0");
    EXPECT_TRUE(node.wait_for([&] { return node.leftovers().empty(); })) << node.leftovers();
}

}  // namespace kill_test
}  // namespace muster::e2e
