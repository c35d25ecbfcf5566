// The hosts files that pods of this node have mounted over /etc/hosts, kept as pods and services come and go: one for
// each namespace, shared by its pods, one of its own for a pod that needs other lines (hostAliases, or a host name
// that another pod of the namespace has), and one without pods' names for pods that have no host name of their own and
// no peers with names: it costs them nothing. What stands in them is pod_names.h's business; os/files/line_file.h's is
// that no reader meets a half line.
//
// Changes of one turn of the loop are made together, and cost what has changed, not what there is: each file remembers
// the lines of each pod. A pod's own file goes with the pod, a namespace's some time after its last pod: pods often
// come one after the other. The files outlive this process, as pods do: the next
// takes them over.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "api/kinds/core/pod.h"
#include "client/mirror.h"
#include "node/network/pod_names.h"
#include "node/network/remembered.h"
#include "os/files/files.h"
#include "os/files/line_file.h"
#include "os/loop/task.h"

namespace muster::node {

// Of how many namespaces is remembered what services they have.
inline constexpr std::size_t kNamespacesRemembered = 256;

struct HostsFile {
    std::string path{};
    bool plain = false;  // without names of pods
};

class NameFiles {
public:
    using Pod = api::core::Pod;
    using PodRef = client::Ref<Pod>;
    using Services = client::Mirror<api::core::Service>;

    // The pods that run here and have not ended.
    using LivePods = std::function<std::vector<PodRef>()>;
    // The mirror has the services' namespaces as its index. All must outlive this.
    NameFiles(os::Loop& loop, std::string directory, LivePods live_pods, const Services& services,
              Services::IndexId by_namespace);

    void start() { tasks_.spawn(keep()); }
    // Once pods and services are known: goes on with the files of an earlier process.
    void take_over();
    void on_pod(const PodRef& before, const PodRef& now);
    void on_service();

    // The file for a pod that is about to start, with its own host name in it if it has one. kUnavailable when it
    // cannot be made.
    Result<HostsFile> file_for(const PodRef& pod, const Text& pod_ip);

private:
    struct User {
        Text address{};
        std::string host_name{};  // empty for a pod with the machine's network
    };
    struct Book {
        std::string path{};
        std::string head{};  // above the lines
        Text namespace_{};
        std::optional<os::LineFile> file{};                          // nothing: to be opened again
        std::unordered_map<Text, User> users{};                      // pods that have it mounted
        std::unordered_map<std::string, Text> host_names{};          // and whose they are
        std::unordered_map<Text, std::vector<std::string>> shown{};  // by the UID of a pod or service
        bool plain = false;                                          // without pods' names
        bool own = false;                                            // of one pod
        Duration idle_since{};                                       // while it has no users
    };
    using Lines = std::vector<std::string>;

    bool needs_names(const Pod& pod);
    Result<std::string> plain_file(const Text& namespace_);
    void drop_idle_books();
    std::string shared_path(const Text& namespace_) const;
    std::string own_path(const Pod& pod) const;
    const std::vector<ServiceRef>& services_in(const Text& namespace_);
    Lines lines_of(const Book& book, const Pod* pod);
    Result<> open(Book& book);
    void add_user(Book& book, const Pod& pod, const Text& pod_ip);
    void drop_user(const Text& uid);
    // Compares what is shown of one pod or service with what should be.
    static void compare(Book& book, const Text& uid, Lines wanted, Lines& come, Lines& gone);
    Result<> update(Book& book);
    Result<> write(Book& book, const Lines& come, const Lines& gone);
    os::Task<void> keep();

    os::Loop& loop_;
    const std::string directory_;
    const LivePods live_pods_;
    const Services& services_;
    const Services::IndexId by_namespace_;
    os::LinuxFiles files_;
    std::map<std::string, Book> books_;         // by path
    std::unordered_map<Text, Book*> book_of_;   // by the pod's UID
    std::unordered_map<Text, PodRef> changed_;  // since the last turn; null: gone
    bool services_changed_ = false;
    Remembered<Text, std::vector<ServiceRef>> services_of_;  // by namespace, until one changes
    os::Event work_;
    os::TaskScope tasks_;
};

}  // namespace muster::node
