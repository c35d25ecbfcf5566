// What the processes and images of pods try on the machine: device nodes in images, processes that leave their
// container's session, volumes in place of the root, files of the server and of other pods.
#include "test/e2e/withstand/pods.h"

#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

#include "os/process/process_table.h"

namespace muster::e2e {
namespace pods_test {

constexpr int kRounds = kSanitized ? 2 : 5;

// A member of a tar file. `type`: '3' is a character device, '4' a block device, '1' a hard link, '2' a symbolic one,
// '5' a directory.
std::string tar_member(const std::string& name, char type, const std::string& link = {}) {
    std::string head(512, '\0');
    const auto put = [&](std::size_t at, const std::string& text) { head.replace(at, text.size(), text); };
    put(0, name);
    put(100, type == '5' ? "0000755" : "0000666");
    put(108, "0000000");
    put(116, "0000000");
    put(124, "00000000000");
    put(136, "00000000000");
    put(148, "        ");
    head[156] = type;
    put(157, link);
    put(257, "ustar");
    put(263, "00");
    put(329, "0000001");  // the numbers of /dev/zero, or of a disk in memory
    put(337, "0000005");
    unsigned sum = 0;
    for (const char c : head) sum += static_cast<unsigned char>(c);
    char digits[8];
    std::snprintf(digits, sizeof digits, "%06o", sum & 0777777u);
    put(148, std::string(digits) + '\0' + ' ');
    return head;
}

std::vector<std::string> device_nodes_below(const std::string& directory) {
    std::vector<std::string> found;
    for (const auto& each : std::filesystem::recursive_directory_iterator(directory))
        if (each.symlink_status().type() == std::filesystem::file_type::character ||
            each.symlink_status().type() == std::filesystem::file_type::block)
            found.push_back(each.path().string());
    return found;
}

class ImagesTest : public PodsTest {
protected:
    void TearDown() override {
        PodsTest::TearDown();
        std::filesystem::remove_all(images_);
    }
    // A tar file with an image: the programs are the machine's, by a volume at /usr.
    std::string write_image(const std::string& name, const std::vector<std::string>& more) {
        images_ = directory_ + "-images";
        std::filesystem::create_directories(images_);
        std::string text;
        for (const char* place : {"./", "./usr/", "./srv/", "./etc/", "./dev/", "./opt/", "./opt/dev/", "./devices/"})
            text += tar_member(place, '5');
        text += tar_member("./opt/dev/stays", '2', "nowhere");
        for (const char* place : {"bin", "lib", "lib64"}) text += tar_member(place, '2', std::string("usr/") + place);
        for (const std::string& member : more) text += member;
        std::ofstream(images_ + "/" + name) << text << std::string(1024, '\0');
        return images_ + "/" + name;
    }
    std::string images_;
};

// Succeeds when its root has no device node, and when what is not one is there.
constexpr const char* kLooksForNodes =
    R"("command":["sh","-c","test -L /opt/dev/stays && test -z \"$(find / -xdev -type b -o -xdev -type c)\""],)"
    R"("volumeMounts":[{"name":"usr","mountPath":"/usr","readOnly":true}])";

TEST_F(ImagesTest, DeviceNodesOfTarFilesDoNotAppearAnywhereAndOthersGoOn) {
    const std::string more = on_node() + R"(,"volumes":[{"name":"usr","hostPath":{"path":"/usr"}}])";
    const std::vector<std::string> nodes = {tar_member("./srv/zero", '3'),
                                            tar_member("disk", '4'),
                                            tar_member("./devices/zero", '3'),
                                            tar_member("./opt/dev/zero", '3'),
                                            tar_member("./dev/disk", '4'),
                                            tar_member("dev/zero", '3'),
                                            tar_member("./etc/again", '1', "./srv/zero")};
    others_hardly_wait_while([&] {
        for (int i = 0; i < kRounds; ++i) {
            const std::string name = "image" + std::to_string(i);
            const std::string path = write_image(name + ".tar", nodes);
            EXPECT_EQ(ask_status("POST", kPods, pod_json(name, kLooksForNodes, more, "rootfs:" + path)), 201);
            // Only root's tar makes nodes; another's refuses the file.
            if (::geteuid() == 0)
                EXPECT_TRUE(comes_to_phase(name, "Succeeded")) << pod(name);
            else
                EXPECT_TRUE(comes_to_say(name, "cannot be used: tar cannot unpack it")) << pod(name);
            EXPECT_EQ(device_nodes_below(directory_ + "/node"), std::vector<std::string>());
            remove_pod(name);
        }
    });
}

TEST_F(ImagesTest, TarFilesThatLeadOutOfTheirDirectoryMakeNothingThere) {
    const std::string outside = directory_ + "-outside";
    std::filesystem::create_directories(outside);
    const std::string more = on_node() + R"(,"volumes":[{"name":"usr","hostPath":{"path":"/usr"}}])";
    const std::vector<std::vector<std::string>> ways = {
        {tar_member("../node", '3')},
        {tar_member(".." + outside + "/node", '3')},
        {tar_member(outside + "/node", '5')},
        {tar_member("./srv/way", '2', outside), tar_member("./srv/way/node", '3')},
    };
    others_hardly_wait_while([&] {
        for (std::size_t i = 0; i < ways.size(); ++i) {
            const std::string name = "way" + std::to_string(i);
            const std::string path = write_image(name + ".tar", ways[i]);
            EXPECT_EQ(ask_status("POST", kPods, pod_json(name, kLooksForNodes, more, "rootfs:" + path)), 201);
            EXPECT_TRUE(holds_soon([&] {
                const std::string now = pod(name);
                return now.find("cannot be used") != std::string::npos ||
                       now.find(R"("phase":"Succeeded")") != std::string::npos;
            })) << pod(name);
            EXPECT_TRUE(std::filesystem::is_empty(outside));
            EXPECT_EQ(device_nodes_below(directory_ + "/node"), std::vector<std::string>());
            remove_pod(name);
        }
    });
    std::filesystem::remove_all(outside);
}

TEST_F(PodsTest, VolumesInPlaceOfTheRootAreRefusedAndOthersGoOn) {
    const std::string node = on_node();
    others_hardly_wait_while([&] {
        int count = 0;
        for (const char* path : {"/", "//", "/./", "/srv/..", "/../"})
            for (const char* volume : {R"("emptyDir":{})", R"("hostPath":{"path":"/"})"}) {
                const std::string name = "at-root" + std::to_string(count++);
                const std::string mount =
                    R"("command":["true"],"volumeMounts":[{"name":"v","mountPath":")" + std::string(path) + R"("}])";
                const int status = ask_status(
                    "POST", kPods, pod_json(name, mount, node + R"(,"volumes":[{"name":"v",)" + volume + "}]"));
                SCOPED_TRACE(path);
                // Kubernetes' rules refuse the paths with "..".
                if (std::string(path).find("..") != std::string::npos && status == 422) continue;
                EXPECT_EQ(status, 201);
                EXPECT_TRUE(comes_to_say(name, "CreateContainerConfigError")) << pod(name);
                EXPECT_NE(pod(name).find("a volume is not a container's root"), std::string::npos) << pod(name);
                remove_pod(name);
            }
    });
}

class LeftoversTest : public PodsTest {
protected:
    void SetUp() override {
        PodsTest::SetUp();
        left_ = directory_ + "-left";
        std::filesystem::create_directories(left_);
    }
    void TearDown() override {
        PodsTest::TearDown();
        std::filesystem::remove_all(left_);
    }
    // A command of a shell that leaves two processes in sessions of their own, without any variable, and waits for
    // them. Their numbers are written to a file of that name.
    std::string leave(const std::string& name) const {
        const std::string file = left_ + "/" + name;
        return "env -i setsid sh -c 'setsid sleep 1000 & read own rest < /proc/self/stat; echo $! $own > " + file +
               ".new; mv " + file + ".new " + file + "; exec sleep 1000' & while [ ! -e " + file +
               " ]; do sleep 0.01; done; ";
    }
    std::vector<int> left_by(const std::string& name) const {
        std::ifstream file(left_ + "/" + name);
        std::vector<int> pids;
        for (int pid = 0; file >> pid;) pids.push_back(pid);
        return pids;
    }
    void expect_nothing_left(const std::string& name) const {
        const std::vector<int> pids = left_by(name);
        EXPECT_EQ(pids.size(), 2u) << name;
        for (const int pid : pids) {
            EXPECT_TRUE(holds_soon([&] { return !os::process_start_ticks(pid); })) << name;
            if (os::process_start_ticks(pid)) ::kill(pid, SIGKILL);
        }
    }
    bool runs(const std::string& name) const {
        const std::vector<int> pids = left_by(name);
        return pids.size() == 2 && os::process_start_ticks(pids[0]) && os::process_start_ticks(pids[1]);
    }
    static std::string script(const std::string& text) { return R"("command":["sh","-c",")" + text + R"("])"; }

    void expect_leftovers_end_with_their_pods();
    std::string left_;
};

void LeftoversTest::expect_leftovers_end_with_their_pods() {
    const std::string more = on_node() + R"(,"automountServiceAccountToken":false)";
    const auto create = [&](const std::string& name, const std::string& container) {
        EXPECT_EQ(ask_status("POST", kPods, pod_json(name, container, more)), 201);
    };
    // One whose container runs until the end of the test, beside which the others are told apart.
    create("stays", script(leave("stays") + "sleep 1000"));
    EXPECT_TRUE(holds_soon([&] { return runs("stays"); }));
    others_hardly_wait_while([&] {
        for (int i = 0; i < kRounds; ++i) {
            const std::string ends = "ends" + std::to_string(i);
            const std::string deleted = "deleted" + std::to_string(i);
            const std::string hook = "hook" + std::to_string(i);
            create(ends, script(leave(ends)));
            create(deleted, script(leave(deleted) + "sleep 1000"));
            // A command inside the container, which the server starts and not the node's helper.
            create(hook, script("sleep 1000") + R"(,"lifecycle":{"postStart":{"exec":{)" + script(leave(hook)) + "}}}");
            EXPECT_TRUE(comes_to_phase(ends, "Succeeded")) << pod(ends);
            for (const std::string& name : {deleted, hook}) {
                EXPECT_TRUE(holds_soon([&] { return runs(name); })) << pod(name);
                remove_pod(name);
            }
            for (const std::string& name : {ends, deleted, hook}) expect_nothing_left(name);
            remove_pod(ends);
        }
    });
    EXPECT_TRUE(runs("stays")) << "what belongs to a pod that runs is left alone";
    remove_pod("stays");
    expect_nothing_left("stays");
}

TEST_F(LeftoversTest, ProcessesThatDetachWithAClearedEnvironmentEndWithTheirPod) {
    expect_leftovers_end_with_their_pods();
}

// Of a server that is not root, pods as these have no namespaces.
class LeftoversOfAUserTest : public LeftoversTest {
protected:
    void SetUp() override {
        if (::geteuid() != 0) GTEST_SKIP() << "the other test is run as an ordinary user already";
        LeftoversTest::SetUp();
        CHECK(::chown(left_.c_str(), kUser, kUser) == 0);
    }
    void TearDown() override {
        if (server_) LeftoversTest::TearDown();
    }
    std::unique_ptr<RunningServer> make_server() const override {
        const std::string user = std::to_string(kUser);
        return std::make_unique<RunningServer>(
            std::vector<std::string>{"setpriv", "--reuid", user, "--regid", user, "--clear-groups"}, directory_);
    }
    static constexpr uid_t kUser = 60'999;
};

TEST_F(LeftoversOfAUserTest, ProcessesThatDetachWithAClearedEnvironmentEndWithTheirPod) {
    expect_leftovers_end_with_their_pods();
}

// The server's files and another pod's, as a pod of another user finds them.
class PodUserTest : public PodsTest {
protected:
    void SetUp() override {
        if (::geteuid() != 0) GTEST_SKIP() << "only root starts processes of another user";
        PodsTest::SetUp();
    }
    std::vector<std::string> flags() const override {
        const std::string tokens = directory_ + ".tokens";
        std::ofstream(tokens) << "secret-of-ann,ann,1\n";
        std::filesystem::permissions(tokens, std::filesystem::perms::owner_read);
        return {"--node", "process", "--controllers", "*", "--pod-user", "nobody", "--token-auth-file", tokens};
    }
    void TearDown() override {
        PodsTest::TearDown();
        std::filesystem::remove(directory_ + ".tokens");
    }
    // What belongs to no pod but `stays`, or to the server.
    std::vector<std::string> secrets() const {
        std::vector<std::string> paths = {directory_ + ".tokens"};
        for (const auto& each : std::filesystem::recursive_directory_iterator(directory_))
            if (each.is_regular_file()) paths.push_back(each.path().string());
        const auto processes = os::find_marked_processes("PASSWORD");
        const auto stays = processes.find(directory_);
        if (stays == processes.end()) return paths;
        for (const int pid : stays->second)
            for (const char* place :
                 {"environ", "root/data/x", "root/var/run/secrets/kubernetes.io/serviceaccount/token"})
                paths.push_back("/proc/" + std::to_string(pid) + "/" + place);
        paths.push_back("/proc/" + std::to_string(server_->pid()) + "/environ");
        return paths;
    }
};

TEST_F(PodUserTest, APodReadsNothingOfTheServerAndOfOtherPodsAndOthersGoOn) {
    ASSERT_TRUE(
        holds_soon([&] { return ask_status("GET", "/api/v1/namespaces/default/serviceaccounts/default") == 200; }));
    const std::string more = on_node() + R"(,"volumes":[{"name":"v","emptyDir":{}}])";
    ASSERT_EQ(ask_status("POST", kPods,
                         pod_json("stays",
                                  R"("command":["sh","-c","echo secret > /data/x; echo written; exec sleep 1000"],)"
                                  R"("env":[{"name":"PASSWORD","value":")" +
                                      directory_ +
                                      R"("}],)"
                                      R"("volumeMounts":[{"name":"v","mountPath":"/data"}])",
                                  more)),
              201);
    ASSERT_TRUE(holds_soon([&] { return log_of("stays").find("written") != std::string::npos; })) << pod("stays");
    const std::vector<std::string> paths = secrets();
    const auto has = [&](const std::string& end) {
        return std::any_of(paths.begin(), paths.end(), [&](const std::string& path) { return path.ends_with(end); });
    };
    for (const char* end : {"/kubeconfig", "/pki/ca.pem", "/v/x", "/token", "0.log", "/environ", "/root/data/x"})
        EXPECT_TRUE(has(end)) << end << " is not among what is tried";
    // The files are named in a file that the pod can read, and it tries each also behind a volume of the whole machine.
    const std::string list = directory_ + ".list";
    std::ofstream lines(list);
    for (const std::string& path : paths) lines << path << "\n/host" << path << "\n";
    lines.close();
    std::filesystem::permissions(list, std::filesystem::perms(0444));
    const std::string looks =
        R"("command":["sh","-c","while read -r path; do cat \"$path\" > /dev/null 2>&1 && echo \"$path\"; done < )" +
        list + "; ls " + directory_ + R"( 2> /dev/null; echo looked"],)" +
        R"("volumeMounts":[{"name":"host","mountPath":"/host"}])";
    const std::string host = on_node() + R"(,"volumes":[{"name":"host","hostPath":{"path":"/"}}])";
    others_hardly_wait_while([&] {
        for (int i = 0; i < (kSanitized ? 1 : 3); ++i) {
            const std::string name = "looks" + std::to_string(i);
            EXPECT_EQ(ask_status("POST", kPods, pod_json(name, looks, host)), 201);
            EXPECT_TRUE(comes_to_phase(name, "Succeeded")) << pod(name);
            EXPECT_EQ(log_of(name), "looked\n");
            remove_pod(name);
        }
    });
    remove_pod("stays");
    std::filesystem::remove(list);
}

}  // namespace pods_test
}  // namespace muster::e2e
