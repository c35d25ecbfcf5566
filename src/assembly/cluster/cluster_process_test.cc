// A whole process against a scripted API server.
#include "assembly/cluster/cluster_process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <mutex>

#include "client/testing/scripted_server.h"

namespace muster {
namespace cluster_process_test {

using client::ScriptedServer;
using Outcome = ClusterProcess::Outcome;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

std::string frame(const char* type, const std::string& object) {
    return std::string(R"({"type":")") + type + R"(","object":)" + object + "}\n";
}
std::string bookmark(const std::string& version) {
    return frame("BOOKMARK", R"({"metadata":{"resourceVersion":")" + version +
                                 R"(","annotations":{"k8s.io/initial-events-end":"true"}}})");
}

std::string job(const char* name, const char* uid, const char* spec) {
    return std::string(R"({"metadata":{"name":")") + name + R"(","namespace":"n","uid":")" + uid +
           R"(","resourceVersion":"3","generation":1},"spec":{"parallelism":1,"completions":1,"backoffLimit":6,)" +
           spec + R"("selector":{"matchLabels":{"batch.kubernetes.io/controller-uid":")" + uid +
           R"("}},"template":{"metadata":{"labels":{"batch.kubernetes.io/controller-uid":")" + uid +
           R"("}},"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}},"status":{}})";
}
constexpr const char* kOurs = R"("managedBy":"muster.dev/job-controller",)";

// Requests come on other threads.
struct Cluster {
    std::mutex mutex;
    std::string minor = "36";
    std::string refused_verb{};  // of pods
    std::string jobs = frame("ADDED", job("j", "job-uid", kOurs));
    std::string jobs_version = "9";
    std::string jobs_events{};  // of watches of Jobs
    bool lists_end = false;     // Jobs have to be listed again; their watches end at once before, too
    int made = 0;
    std::vector<std::string> writes{};

    ScriptedServer::Answer answer(const os::HttpRequest& request) {
        const std::lock_guard lock(mutex);
        const std::string& target = request.target;
        if (target == "/version") return {.body = R"({"major":"1","minor":")" + minor + "\"}"};
        if (target.find("selfsubjectaccessreviews") != std::string::npos) {
            const bool pods = request.body.find(R"("resource":"pods")") != std::string::npos;
            const bool no = pods && !refused_verb.empty() &&
                            request.body.find(R"("verb":")" + refused_verb + '"') != std::string::npos;
            return {.status = 201, .body = std::string(R"({"status":{"allowed":)") + (no ? "false" : "true") + "}}"};
        }
        if (request.method != "GET") {
            writes.push_back(request.method + ' ' + target);
            if (request.method == "POST" && target.find("/pods") != std::string::npos) ++made;
            return {.status = 201, .body = request.body};
        }
        if (target.find("sendInitialEvents") != std::string::npos) {
            const bool of_jobs = target.find("/jobs") != std::string::npos;
            return {.body = of_jobs ? jobs + bookmark(jobs_version) : bookmark("9"), .stays_open = true};
        }
        if (target.find("/jobs?") != std::string::npos) {
            if (lists_end) return {.status = 410, .body = R"({"kind":"Status","code":410,"reason":"Expired"})"};
            return {.body = std::exchange(jobs_events, {})};
        }
        return {.body = "", .stays_open = true};
    }
    std::vector<std::string> written() {
        const std::lock_guard lock(mutex);
        return writes;
    }
};

struct ClusterProcessTest : testing::Test {
    ClusterProcessTest() {
        server.answer_all = [this](const os::HttpRequest& request) { return cluster.answer(request); };
        settings.controllers = {"job"};
        settings.leader_elect = false;
        settings.set.ownership = {.unmanaged = false, .managed_by = "muster.dev/job-controller"};
        told.log = [this](std::string_view line) { said.append(line).append("\n"); };
        told.problem = told.log;
        told.refusal = told.log;
    }
    void make() {
        link = client::RemoteLink::make(loop, server.access()).value();
        process = std::make_unique<ClusterProcess>(loop, link, settings, told);
    }
    // Looks every few milliseconds until it holds or ten seconds have passed.
    os::Task<bool> until(std::function<bool()> holds) {
        for (int i = 0; i < 2000; ++i) {
            if (holds()) co_return true;
            co_await os::sleep_for(loop, 5ms);
        }
        co_return false;
    }
    // Runs the process until something holds, then stops it.
    Outcome run_until(std::function<bool()> holds) {
        os::TaskScope tasks(loop);
        tasks.spawn([](ClusterProcessTest* test, std::function<bool()> what) -> os::Task<void> {
            test->held = co_await test->until(std::move(what));
            test->process->stop();
        }(this, std::move(holds)));
        return loop.run(process->run());
    }
    int made() {
        const std::lock_guard lock(cluster.mutex);
        return cluster.made;
    }

    Cluster cluster;
    ScriptedServer server;
    os::RealLoop loop;
    ClusterSettings settings;
    ClusterTold told;
    std::string said;
    std::shared_ptr<client::RemoteLink> link;
    std::unique_ptr<ClusterProcess> process;
    bool held = false;
};

TEST_F(ClusterProcessTest, RunsOurJobsAndLeavesOthersAlone) {
    cluster.jobs += frame("ADDED", job("theirs", "their-uid", ""));
    make();
    EXPECT_EQ(run_until([&] { return made() > 0 && process->is_ready(); }), Outcome::kStopped);
    EXPECT_TRUE(held) << said;
    for (const std::string& write : cluster.written()) EXPECT_THAT(write, Not(HasSubstr("theirs")));
    EXPECT_EQ(made(), 1);
    EXPECT_THAT(server.asked(), Contains(HasSubstr("/api/v1/pods?")));
    for (const std::string& asked : server.asked())
        if (asked.find("/api/v1/pods?") != std::string::npos) {
            EXPECT_THAT(asked, HasSubstr("labelSelector=batch.kubernetes.io%2Fcontroller-uid"));
        }
}

TEST_F(ClusterProcessTest, AServerThatIsTooOldIsRefused) {
    cluster.minor = "31";
    make();
    EXPECT_EQ(loop.run(process->run()), Outcome::kRefused);
    EXPECT_THAT(said, HasSubstr("Kubernetes 1.31"));
    EXPECT_TRUE(cluster.written().empty());
}

TEST_F(ClusterProcessTest, AMissingPermissionIsNamed) {
    cluster.refused_verb = "delete";
    make();
    EXPECT_EQ(loop.run(process->run()), Outcome::kRefused);
    EXPECT_THAT(said, HasSubstr("\n  delete pods\n"));
    EXPECT_THAT(said, Not(HasSubstr("create pods")));
}

TEST_F(ClusterProcessTest, AnObserverTellsItsWritesAndMakesNone) {
    settings.observe = true;
    make();
    EXPECT_EQ(run_until([&] { return said.find("in its status") != std::string::npos; }), Outcome::kStopped);
    EXPECT_TRUE(held) << said;
    EXPECT_THAT(said, HasSubstr("would create Pod n/j-"));
    EXPECT_TRUE(cluster.written().empty());
}

TEST_F(ClusterProcessTest, WhenVersionsGoBackTheControllersAreMadeAgainAndOldOnesWriteNothing) {
    make();
    os::TaskScope tasks(loop);
    tasks.spawn([](ClusterProcessTest* test) -> os::Task<void> {
        test->held = co_await test->until([test] { return test->made() == 1; });
        {
            const std::lock_guard lock(test->cluster.mutex);
            // As it was before our pod was made, under lower versions, and the watch of Jobs ends.
            test->cluster.jobs_version = "5";
            test->cluster.lists_end = true;
        }
        test->held = co_await test->until([test] { return test->made() == 2; });
        test->process->stop();
    }(this));
    EXPECT_EQ(loop.run(process->run()), Outcome::kStopped);
    EXPECT_TRUE(held) << said;
    EXPECT_THAT(said, HasSubstr("went back from 9 to 5"));
    EXPECT_THAT(said, HasSubstr("made again, with empty memories"));
}

TEST_F(ClusterProcessTest, AJobWithASelectorOfItsOwnMakesItWatchAllPods) {
    cluster.jobs =
        frame("ADDED", job("j", "job-uid", R"("managedBy":"muster.dev/job-controller","manualSelector":true,)"));
    make();
    EXPECT_EQ(run_until([&] { return made() > 0; }), Outcome::kStopped);
    EXPECT_TRUE(held) << said;
    EXPECT_THAT(said, HasSubstr("all pods are watched"));
    EXPECT_EQ(made(), 1) << "before that, nothing is made";
    bool whole = false;
    for (const std::string& asked : server.asked())
        whole = whole ||
                (asked.find("/api/v1/pods?") != std::string::npos && asked.find("labelSelector") == std::string::npos);
    EXPECT_TRUE(whole);
}

TEST_F(ClusterProcessTest, ASecondJobControllerIsNoticed) {
    const std::string theirs = R"("managedFields":[{"manager":"kube-controller-manager","operation":"Update",)"
                               R"("subresource":"status","time":"2026-01-01T00:00:00Z"}],"resourceVersion":"12")";
    std::string written = job("j", "job-uid", kOurs);
    written.replace(written.find(R"("resourceVersion":"3")"), 21, theirs);
    cluster.jobs_events = frame("MODIFIED", written);
    make();
    std::string metrics;
    EXPECT_EQ(run_until([&] {
                  metrics = process->metrics_text();
                  return metrics.find("muster_foreign_status_writes_total") != std::string::npos;
              }),
              Outcome::kStopped);
    EXPECT_TRUE(held) << said;
    EXPECT_THAT(metrics, HasSubstr(R"(muster_foreign_status_writes_total{manager="kube-controller-manager"} 1)"));
    EXPECT_THAT(said, HasSubstr("two Job controllers are at work"));
}

}  // namespace cluster_process_test
}  // namespace muster
