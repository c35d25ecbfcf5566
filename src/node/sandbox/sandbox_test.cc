#include "node/sandbox/sandbox.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/codec/decode.h"
#include "node/identity/identity.h"
#include "node/process/refusal.h"

namespace muster::node {
namespace sandbox_test {

using api::core::Pod;
using os::SetupStep;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Pod parse_pod(const std::string& spec) {
    return api::from_yaml<Pod>("metadata: {name: p, namespace: ns, uid: u}\nspec: {" + spec + "}").value();
}

// Each step as a few words.
std::string word_for(const SetupStep& step) {
    const std::string where = (step.inside.empty() ? "" : step.inside + ':') + step.path;
    const char* only = (step.flags & SetupStep::kReadOnlyMount) ? " ro" : "";
    switch (step.kind) {
        case SetupStep::Kind::kUnshare:
            return std::string("unshare") + ((step.flags & os::kUserNamespace) ? " user" : "") +
                   ((step.flags & os::kMountNamespace) ? " mount" : "") +
                   ((step.flags & os::kUtsNamespace) ? " uts" : "");
        case SetupStep::Kind::kWriteFile: return "write " + step.path;
        case SetupStep::Kind::kPrivateMounts: return "private";
        case SetupStep::Kind::kBind:
            return "bind " + step.source + (step.detail.empty() ? "" : "//" + step.detail) + " at " + where + only;
        case SetupStep::Kind::kTmpfs: return "tmpfs " + where + ' ' + step.detail;
        case SetupStep::Kind::kOverlay: return "overlay " + where + ' ' + step.detail;
        case SetupStep::Kind::kMove: return "move " + step.source + " to " + where;
        case SetupStep::Kind::kReadOnly: return "ro " + where;
        case SetupStep::Kind::kMakeDirectory: return "mkdir " + where;
        case SetupStep::Kind::kMakeLink: return "link " + step.path + " to " + step.source;
        case SetupStep::Kind::kPivotRoot: return "pivot " + step.path;
        case SetupStep::Kind::kChangeRoot: return "chroot " + step.path;
        case SetupStep::Kind::kChangeDirectory: return "enter " + step.path;
        case SetupStep::Kind::kHostName: return "name " + step.source;
        case SetupStep::Kind::kGroups: {
            std::string out = "groups";
            for (const auto group : step.groups) out += ' ' + std::to_string(group);
            return out;
        }
        case SetupStep::Kind::kGroup: return "group " + std::to_string(step.id);
        case SetupStep::Kind::kUser: return "user " + std::to_string(step.id);
        case SetupStep::Kind::kCapabilities: return "capabilities " + std::to_string(step.flags);
        case SetupStep::Kind::kNoNewPrivileges: return "no new privileges";
        default: return "?";
    }
}

class SandboxTest : public testing::Test {
protected:
    SandboxTest() {
        volumes_["v"].path = "/pods/v";
        volumes_["config"].path = "/pods/config";
        volumes_["config"].written = true;
        environment_["NAME"] = "seven";
        add_point("/there", "/there", "");
        os::MountPoint& root = add_point("/data", "/", "data");
        root.entries = {entry("bin", os::DirectoryEntry::Kind::kLink, "usr/bin"),
                        entry("proc", os::DirectoryEntry::Kind::kDirectory),
                        entry("usr", os::DirectoryEntry::Kind::kDirectory)};
        facts_.points["/"] = root;
        facts_.points["/"].rest = "";
        add_point("/var/run/x/y", "/run", "x/y").entries = {entry("lock", os::DirectoryEntry::Kind::kDirectory)};
        add_point("/tmp/data", "/tmp", "data").mode = 01777;
        os::MountPoint& etc = add_point("/etc/config", "/etc", "config");
        for (int i = 0; i < 100; ++i)
            etc.entries.push_back(entry("file" + std::to_string(i), os::DirectoryEntry::Kind::kOther));
        etc.entries.front().mounted = true;
    }
    static os::DirectoryEntry entry(std::string name, os::DirectoryEntry::Kind kind, std::string target = "") {
        os::DirectoryEntry out;
        out.name = std::move(name);
        out.kind = kind;
        out.target = std::move(target);
        return out;
    }
    os::MountPoint& add_point(const std::string& path, std::string existing, std::string rest) {
        os::MountPoint& point = facts_.points[path];
        point.existing = std::move(existing);
        point.rest = std::move(rest);
        return point;
    }

    Result<Sandbox> make(const std::string& container, const std::string& of_pod = "") {
        const Pod pod = parse_pod(of_pod + "containers: [{name: c, " + container + "}]");
        const SandboxView view{pod, pod.spec.containers[0], volumes_, extra_, environment_, facts_, "/stage"};
        return make_sandbox(view);
    }
    std::vector<std::string> words(const std::string& container, const std::string& of_pod = "") {
        const Result<Sandbox> sandbox = make(container, of_pod);
        if (!sandbox.ok()) return {sandbox.error().message};
        std::vector<std::string> out;
        for (const SetupStep& step : sandbox->steps) out.push_back(word_for(step));
        return out;
    }

    VolumePlaces volumes_;
    std::vector<ExtraMount> extra_;
    Environment environment_;
    SandboxFacts facts_;
};

TEST_F(SandboxTest, AContainerThatAsksForNothingGetsNoSteps) { EXPECT_THAT(words("command: [x]"), IsEmpty()); }

TEST_F(SandboxTest, AHostNameTakesAUtsNamespaceAlone) {
    EXPECT_THAT(words("command: [x]", "hostname: job-3, "), ElementsAre("unshare uts", "name job-3"));
    EXPECT_THAT(words("command: [x]", "hostname: a, subdomain: s, setHostnameAsFQDN: true, "),
                ElementsAre("unshare uts", "name a.s.ns.svc.cluster.local"));
    EXPECT_THAT(words("command: [x]", "hostname: a, hostNetwork: true, "), IsEmpty());
}

TEST_F(SandboxTest, GroupsOfTheImageAreMergedUnlessThePolicyIsStrict) {
    facts_.image_groups = {7, 50};
    const auto groups = [&](const std::string& of_pod) {
        const Result<Sandbox> sandbox = make("command: [x]", of_pod);
        std::vector<std::uint32_t> out;
        if (sandbox.ok())
            for (const SetupStep& step : sandbox->steps)
                if (step.kind == SetupStep::Kind::kGroups) out = step.groups;
        return out;
    };
    EXPECT_THAT(groups(""), ElementsAre(7, 50));
    EXPECT_THAT(groups("securityContext: {supplementalGroups: [3, 7], fsGroup: 4}, "), ElementsAre(3, 7, 4, 50));
    EXPECT_THAT(groups("securityContext: {supplementalGroupsPolicy: Merge}, "), ElementsAre(7, 50));
    EXPECT_THAT(groups("securityContext: {supplementalGroupsPolicy: Strict}, "), IsEmpty());
}

TEST_F(SandboxTest, SubPathsAreCheckedWhenTheyAreExpanded) {
    environment_["ROOT"] = "/etc";
    environment_["UP"] = "..";
    const auto mounted = [&](const std::string& expression) {
        return words("volumeMounts: [{name: v, mountPath: /there, subPathExpr: " + expression + "}]");
    };
    EXPECT_THAT(mounted("$(ROOT)"), ElementsAre("error SubPath `/etc` must not be an absolute path"));
    EXPECT_THAT(mounted("$(UP)/x"), ElementsAre("unable to provision SubPath `../x`: must not contain '..'"));
    EXPECT_THAT(mounted("$(NONE)"), ElementsAre("missing value for NONE"));
    const Result<Sandbox> sandbox = make("volumeMounts: [{name: v, mountPath: /there, subPath: new}]");
    ASSERT_TRUE(sandbox.ok());
    EXPECT_NE(sandbox->steps.back().flags & SetupStep::kMakeBeneath, 0u) << "a directory that is not there is made";
}

TEST_F(SandboxTest, AVolumeIsMountedWhereThereIsAPlace) {
    EXPECT_THAT(words("volumeMounts: [{name: v, mountPath: /there/}]"),
                ElementsAre("unshare mount", "private", "bind /pods/v at /there"));
    EXPECT_THAT(words("volumeMounts: [{name: config, mountPath: /there}]"),
                ElementsAre("unshare mount", "private", "bind /pods/config at /there ro"));
    EXPECT_THAT(words("volumeMounts: [{name: v, mountPath: /there, readOnly: true, subPathExpr: a/$(NAME)}]"),
                ElementsAre("unshare mount", "private", "bind /pods/v//a/seven at /there ro"));
}

TEST_F(SandboxTest, APlaceThatIsMissingIsMadeInMemoryBesideWhatTheMachineHas) {
    EXPECT_THAT(words("volumeMounts: [{name: v, mountPath: /data}]"),
                ElementsAre("unshare mount", "private", "tmpfs /stage/1 mode=755", "link /stage/1/bin to usr/bin",
                            "bind /proc at /stage/1:/proc", "bind /usr at /stage/1:/usr",
                            "bind /pods/v at /stage/1:/data", "enter /stage/1", "move /stage/1 to /", "chroot ."));
    EXPECT_THAT(words("volumeMounts: [{name: v, mountPath: /var/run/x/y}]"),
                ElementsAre("unshare mount", "private", "tmpfs /stage/1 mode=755", "bind /run/lock at /stage/1:/lock",
                            "bind /pods/v at /stage/1:/x/y", "move /stage/1 to /run"));
    EXPECT_THAT(words("volumeMounts: [{name: v, mountPath: /tmp/data}]"),
                ElementsAre("unshare mount", "private", "tmpfs /stage/1 mode=1777", "bind /pods/v at /stage/1:/data",
                            "move /stage/1 to /tmp"));
    EXPECT_THAT(make("volumeMounts: [{name: v, mountPath: /data}]").value().directories, ElementsAre("/stage/1"));
}

TEST_F(SandboxTest, ADirectoryWithManyEntriesIsLaidOver) {
    EXPECT_THAT(words("volumeMounts: [{name: v, mountPath: /etc/config}]"),
                ElementsAre("unshare mount", "private", "tmpfs /stage/1 mode=755", "bind /pods/v at /stage/1:/config",
                            "overlay /stage/1 lowerdir=/stage/1:/etc", "bind /etc/file0 at /stage/1:/file0",
                            "bind /pods/v at /stage/1:/config", "move /stage/1 to /etc"));
}

TEST_F(SandboxTest, PlacesWithinPlacesComeInOrder) {
    EXPECT_THAT(words("volumeMounts: [{name: config, mountPath: /data/inner}, {name: v, mountPath: /data}, "
                      "{name: v, mountPath: /var/run/x/y}]"),
                ElementsAre("unshare mount", "private", "tmpfs /stage/1 mode=755", "link /stage/1/bin to usr/bin",
                            "bind /proc at /stage/1:/proc", "bind /usr at /stage/1:/usr", "tmpfs /stage/2 mode=755",
                            "bind /run/lock at /stage/2:/lock", "bind /pods/v at /stage/1:/data",
                            "bind /pods/config at /stage/1:/data/inner ro", "bind /pods/v at /stage/2:/x/y",
                            "move /stage/2 to /stage/1:/run", "enter /stage/1", "move /stage/1 to /", "chroot ."));
}

TEST_F(SandboxTest, AReadOnlyRootLeavesVolumesAndTheKernelsFilesWritable) {
    EXPECT_THAT(
        words("securityContext: {readOnlyRootFilesystem: true}, volumeMounts: [{name: v, mountPath: /there}]"),
        ElementsAre("unshare mount", "private", "tmpfs /stage/1 mode=755", "link /stage/1/bin to usr/bin",
                    "bind /proc at /stage/1:/proc", "bind /usr at /stage/1:/usr ro", "bind /pods/v at /stage/1:/there",
                    "ro /stage/1", "enter /stage/1", "move /stage/1 to /", "chroot ."));
}

TEST_F(SandboxTest, AnImagesRootGetsALayerOfItsOwn) {
    facts_.image_root = "/images/a";
    EXPECT_THAT(words("volumeMounts: [{name: v, mountPath: /data}], image: 'rootfs:/images/a'"),
                ElementsAre("unshare mount", "private",
                            "overlay /stage/root lowerdir=/images/a,upperdir=/stage/upper,workdir=/stage/work",
                            "bind /proc at /stage/root:/proc", "bind /dev at /stage/root:/dev",
                            "bind /sys at /stage/root:/sys ro", "mkdir /stage/root:/tmp",
                            "bind /etc/resolv.conf at /stage/root:/etc/resolv.conf ro",
                            "bind /etc/hosts at /stage/root:/etc/hosts ro", "bind /pods/v at /stage/root:/data",
                            "pivot /stage/root"));
}

TEST_F(SandboxTest, AnOrdinaryUserGetsAUserNamespace) {
    facts_.access = os::NamespaceAccess::kByUser;
    facts_.user = facts_.group = 1000;
    EXPECT_THAT(words("volumeMounts: [{name: v, mountPath: /there}]", "hostname: a, "),
                ElementsAre("unshare user mount", "write /proc/self/setgroups", "write /proc/self/uid_map",
                            "write /proc/self/gid_map", "private", "bind /pods/v at /there", "unshare uts", "name a"));
    EXPECT_THAT(words("command: [x]", "hostname: a, "),
                ElementsAre("unshare user uts", "write /proc/self/setgroups", "write /proc/self/uid_map",
                            "write /proc/self/gid_map", "name a"));
    facts_.access = os::NamespaceAccess::kNone;
    EXPECT_THAT(words("command: [x]", "hostname: a, "), IsEmpty()) << "a name is not worth refusing a pod";
    EXPECT_THAT(words("volumeMounts: [{name: v, mountPath: /there}]"),
                ElementsAre(HasSubstr("needs a mount namespace")));
}

TEST_F(SandboxTest, AVolumeAtTheRootIsRefused) {
    for (const char* path : {"/", "//", "/.", "/there/.."})
        EXPECT_THAT(words("volumeMounts: [{name: v, mountPath: " + std::string(path) + "}]"),
                    ElementsAre(HasSubstr("volume \"v\" cannot be mounted at /")))
            << path;
}

// Processes that become another user: root mounts, and looks at the machine's files with that user's rights.
TEST_F(SandboxTest, APodUserIsBecomeLastAndLooksUpTheMachinesFilesItself) {
    PodUser& user = facts_.pod_user.emplace();
    user.user = user.group = 1234;
    user.groups = {1234};
    user.becomes = true;
    facts_.directory = "/pods";
    volumes_["host"].path = "/srv";
    volumes_["host"].of_machine = true;
    EXPECT_THAT(words("command: [x]"), ElementsAre("groups 1234", "group 1234", "user 1234", "no new privileges"));
    const Result<Sandbox> sandbox =
        make("volumeMounts: [{name: v, mountPath: /there}, {name: host, mountPath: /there/host}]");
    ASSERT_TRUE(sandbox.ok());
    std::map<std::string, bool> as_user;
    for (const SetupStep& step : sandbox->steps)
        if (step.kind == SetupStep::Kind::kBind) as_user[step.source] = (step.flags & SetupStep::kAsUser) != 0;
    EXPECT_THAT(as_user, ElementsAre(testing::Pair("/pods/v", false), testing::Pair("/srv", true)));
}

// Processes of an ordinary user's server: what is the server's is hidden before a file of the machine is looked up.
TEST_F(SandboxTest, APodUserOfAnOrdinaryServerDoesNotSeeItsDirectory) {
    facts_.access = os::NamespaceAccess::kByUser;
    facts_.user = facts_.group = 1000;
    PodUser& user = facts_.pod_user.emplace();
    user.user = user.group = 1234;
    user.hidden_directories = {"/data"};
    facts_.directory = "/data/node";
    volumes_["v"].path = "/data/node/v";
    volumes_["memory"].path = "/dev/shm/muster-u/memory";
    volumes_["host"].path = "/srv";
    volumes_["host"].of_machine = true;
    EXPECT_THAT(
        words("volumeMounts: [{name: v, mountPath: /there}, {name: host, mountPath: /there/host}, {name: "
              "memory, mountPath: /there/memory}]"),
        ElementsAre("unshare user mount", "write /proc/self/setgroups", "write /proc/self/uid_map",
                    "write /proc/self/gid_map", "private", "bind /dev/shm/muster-u/memory at /stage/memory-0",
                    "enter /data/node", "tmpfs /data mode=0,size=4k", "tmpfs /dev/shm mode=1777", "bind v at /there",
                    "bind /srv at /there/host", "bind /stage/memory-0 at /there/memory", "no new privileges"));
    EXPECT_THAT(words("command: [x]"), testing::Contains("tmpfs /data mode=0,size=4k")) << "without volumes, too";
}

// A directory that lacks a mount point is built in the node's own, which is the working directory then.
TEST_F(SandboxTest, APodUserOfAnOrdinaryServerHasItsRootBuiltFromTheWorkingDirectory) {
    facts_.access = os::NamespaceAccess::kByUser;
    facts_.user = facts_.group = 1000;
    facts_.pod_user.emplace().hidden_directories = {"/stage"};
    facts_.directory = "/";
    EXPECT_THAT(words("volumeMounts: [{name: v, mountPath: /data}]"),
                testing::IsSupersetOf({"tmpfs stage/1 mode=755", "enter stage/1", "move . to /", "chroot ."}));
}

TEST_F(SandboxTest, AFileOfTheNodesOwnGivesWayToAVolume) {
    add_point("/etc/hosts", "/etc/hosts", "");
    extra_.emplace_back().source = "/node/hosts";
    extra_.back().path = "/etc/hosts";
    EXPECT_THAT(words("command: [x]"), ElementsAre("unshare mount", "private", "bind /node/hosts at /etc/hosts ro"));
    EXPECT_THAT(words("volumeMounts: [{name: v, mountPath: /etc/hosts, subPath: hosts}]"),
                ElementsAre("unshare mount", "private", "bind /pods/v//hosts at /etc/hosts"));
}

TEST_F(SandboxTest, PropagationIsRefused) {
    EXPECT_THAT(words("volumeMounts: [{name: v, mountPath: /there, mountPropagation: Bidirectional}]"),
                ElementsAre("mountPropagation Bidirectional of volume \"v\" cannot be had on this node"));
}

struct IdentityCase {
    const char* says;
    const char* of_pod;
    const char* of_container;
    std::vector<std::string> steps;
};

TEST_F(SandboxTest, IdentityFollowsTheSecurityContexts) {
    facts_.primary_group = 100;
    const IdentityCase cases[] = {
        {"a user brings its own group", "", "runAsUser: 7", {"groups", "group 100", "user 7"}},
        {"the container's goes before the pod's",
         "runAsUser: 7, runAsGroup: 8",
         "runAsUser: 9",
         {"groups", "group 8", "user 9"}},
        {"groups of files are groups of the process", "fsGroup: 5, supplementalGroups: [3, 4]", "", {"groups 3 4 5"}},
        {"no escalation", "", "allowPrivilegeEscalation: false", {"no new privileges"}},
        {"capabilities are dropped before the user changes",
         "",
         "capabilities: {drop: [ALL], add: [CHOWN]}, runAsUser: 7",
         {"capabilities 1", "groups", "group 100", "user 7"}},
        {"the privileged keep theirs", "", "privileged: true, capabilities: {drop: [ALL]}", {}},
    };
    for (const IdentityCase& each : cases)
        EXPECT_EQ(words(std::string("securityContext: {") + each.of_container + "}",
                        std::string("securityContext: {") + each.of_pod + "}, "),
                  each.steps)
            << each.says;
}

TEST(Refusal, WhatAnOrdinaryUserCannotGiveIsRefused) {
    struct Case {
        const char* of_pod;
        const char* of_container;
        std::int64_t user;
        const char* refusal;  // empty: it runs
    };
    const Case cases[] = {
        {"", "runAsUser: 7", 0, ""},
        {"", "runAsUser: 7", 7, ""},
        {"", "runAsUser: 7", 1000, "runAsUser 7 cannot be had"},
        {"runAsGroup: 7", "", 1000, "runAsGroup 7 cannot be had"},
        {"fsGroup: 7", "", 1000, "fsGroup 7 cannot be had"},
        {"fsGroup: 7", "", 0, ""},
        {"supplementalGroups: [50, 51]", "", 1000, "supplementalGroups 51 cannot be had"},
        {"", "privileged: true", 1000, "privileged cannot be had"},
        {"", "capabilities: {add: [NET_ADMIN]}", 1000, "capability NET_ADMIN cannot be had"},
        {"", "capabilities: {drop: [ALL]}", 1000, ""},
        {"", "capabilities: {drop: [NONSENSE]}", 0, "there is no capability NONSENSE"},
        {"runAsNonRoot: true", "", 0, "container has runAsNonRoot and image will run as root (pod: \"p_ns(u)\""},
        {"runAsNonRoot: true", "runAsUser: 0", 0, "container's runAsUser breaks non-root policy"},
        {"runAsNonRoot: true", "runAsUser: 7", 0, ""},
        {"runAsNonRoot: true", "", 1000, ""},
    };
    for (const Case& each : cases) {
        const Pod pod = parse_pod(std::string("securityContext: {") + each.of_pod +
                                  "}, containers: [{name: c, image: i, securityContext: {" + each.of_container + "}}]");
        const Result<void> result = check_supported(pod, pod.spec.containers[0], each.user, 50);
        const std::string said = result.ok() ? "" : result.error().message;
        if (*each.refusal)
            EXPECT_THAT(said, HasSubstr(each.refusal));
        else
            EXPECT_EQ(said, "") << each.of_pod << each.of_container;
    }
}

}  // namespace sandbox_test
}  // namespace muster::node
