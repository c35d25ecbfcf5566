#include "node/network/name_files.h"

#include <algorithm>

#include "api/kinds/core/pod_phase.h"
#include "node/runtime/node_paths.h"
#include "node/sandbox/sandbox.h"

namespace muster::node {
namespace {

constexpr const char* kMachineHosts = "/etc/hosts";
constexpr const char* kHostsFolder = "/hosts";
constexpr const char* kPlainFolder = "/plain-hosts";
constexpr const char* kNear = "/near";
constexpr const char* kFar = "/far";
constexpr Duration kIdleBook = 60s;
constexpr std::size_t kMachineHostsMax = 1u << 20;
constexpr Duration kNamesRetry = 1s;

std::string machine_hosts(os::Files& files) {
    auto text = files.read(kMachineHosts, kMachineHostsMax);
    std::string out = text.ok() ? *std::move(text) : "127.0.0.1 localhost\n";
    if (!out.empty() && out.back() != '\n') out += '\n';
    return out;
}

}  // namespace

NameFiles::NameFiles(os::Loop& loop, std::string directory, LivePods live_pods, const Services& services,
                     Services::IndexId by_namespace)
    : loop_(loop),
      directory_(std::move(directory)),
      live_pods_(std::move(live_pods)),
      services_(services),
      by_namespace_(by_namespace),
      services_of_(kNamespacesRemembered),
      work_(loop),
      tasks_(loop) {}

std::string NameFiles::shared_path(const Text& namespace_) const {
    return directory_ + kHostsFolder + '/' + namespace_.str();
}
std::string NameFiles::own_path(const Pod& pod) const {
    return pod_directory(directory_, pod.metadata.uid) + kHostsFolder;
}

const std::vector<ServiceRef>& NameFiles::services_in(const Text& namespace_) {
    return services_of_.get(namespace_, [&] { return services_.indexed(by_namespace_, namespace_); });
}

bool NameFiles::needs_names(const Pod& pod) {
    if (needs_host_name(pod) || !pod.spec.subdomain.empty() || !pod.spec.host_aliases.empty()) return true;
    const auto& services = services_in(pod.metadata.namespace_);
    return std::any_of(services.begin(), services.end(),
                       [](const ServiceRef& service) { return is_headless(*service); });
}

NameFiles::Lines NameFiles::lines_of(const Book& book, const Pod* pod) {
    if (book.plain || !pod || has_ended(*pod)) return {};
    // Which address a pod of ours has is known before its status tells.
    Text address = pod->status.pod_ip;
    if (address.empty())
        if (const auto at = book_of_.find(pod->metadata.uid); at != book_of_.end())
            address = at->second->users.at(pod->metadata.uid).address;
    Lines lines = peer_lines(*pod, address, services_in(pod->metadata.namespace_), book.namespace_);
    if (book.users.contains(pod->metadata.uid) && !pod->spec.host_network && !address.empty())
        lines.push_back(own_line(*pod, address));
    return lines;
}

void NameFiles::compare(Book& book, const Text& uid, Lines wanted, Lines& come, Lines& gone) {
    const auto found = book.shown.find(uid);
    const auto is_in = [](const Lines& lines, const std::string& line) {
        return std::find(lines.begin(), lines.end(), line) != lines.end();
    };
    for (const std::string& line : wanted)
        if (found == book.shown.end() || !is_in(found->second, line)) come.push_back(line);
    if (found != book.shown.end())
        for (const std::string& line : found->second)
            if (!is_in(wanted, line)) gone.push_back(line);
    if (wanted.empty()) {
        if (found != book.shown.end()) book.shown.erase(found);
    } else {
        book.shown[uid] = std::move(wanted);
    }
}

// Everything that should be in it, whatever is.
Result<> NameFiles::open(Book& book) {
    const std::size_t slash = book.path.rfind('/');
    TRY(files_.create_directories(book.path.substr(0, slash), os::Access::kOnlyUs));
    TRY_ASSIGN(book.file, os::LineFile::open(book.path, machine_hosts(files_) + book.head, loop_.now()));
    book.shown.clear();
    Lines come;
    Lines gone;
    for (const ServiceRef& service : services_.all()) {
        const auto& metadata = service->metadata;
        if (book.plain && !(metadata.namespace_ == kApiNamespace && metadata.name == kApiService)) continue;
        compare(book, service->metadata.uid, service_lines(*service, book.namespace_), come, gone);
    }
    for (const PodRef& pod : book.plain ? std::vector<PodRef>() : live_pods_())
        compare(book, pod->metadata.uid, lines_of(book, pod.get()), come, gone);
    const std::set<std::string> wanted(come.begin(), come.end());
    for (std::string& line : book.file->lines())
        if (!wanted.contains(line)) gone.push_back(std::move(line));
    return write(book, come, gone);
}

Result<> NameFiles::write(Book& book, const Lines& come, const Lines& gone) {
    if (come.empty() && gone.empty()) return {};
    Result<> written = book.file->change(come, gone, loop_.now());
    if (!written.ok()) book.file.reset();
    return written;
}

Result<> NameFiles::update(Book& book) {
    if (!book.file || services_changed_) return open(book);
    if (book.plain) return {};
    Lines come;
    Lines gone;
    for (const auto& [uid, pod] : changed_) compare(book, uid, lines_of(book, pod.get()), come, gone);
    return write(book, come, gone);
}

void NameFiles::add_user(Book& book, const Pod& pod, const Text& pod_ip) {
    User& user = book.users[pod.metadata.uid];
    user.address = pod_ip;
    if (!pod.spec.host_network) {
        user.host_name = host_name_of(pod);
        book.host_names.emplace(user.host_name, pod.metadata.uid);
    }
    book_of_[pod.metadata.uid] = &book;
}

void NameFiles::drop_user(const Text& uid) {
    const auto found = book_of_.find(uid);
    if (found == book_of_.end()) return;
    Book& book = *found->second;
    book_of_.erase(found);
    const auto user = book.users.extract(uid);
    const auto named = book.host_names.find(user.mapped().host_name);
    if (named != book.host_names.end() && named->second == uid) book.host_names.erase(named);
    if (!book.users.empty()) return;
    book.idle_since = loop_.uptime();
    if (!book.own) return;
    const std::string path = book.path;
    (void)files_.remove(path).ok();
    books_.erase(path);
}

void NameFiles::drop_idle_books() {
    std::erase_if(books_, [this](const auto& each) {
        const Book& book = each.second;
        const bool idle = !book.plain && book.users.empty() && loop_.uptime() - book.idle_since > kIdleBook;
        if (idle) (void)files_.remove(each.first).ok();
        return idle;
    });
}

// Two of them: within the API's namespace its short name is known, too.
Result<std::string> NameFiles::plain_file(const Text& namespace_) {
    const bool near = namespace_ == kApiNamespace;
    const std::string path = directory_ + kPlainFolder + (near ? kNear : kFar);
    Book& book = books_[path];
    if (!book.file) {
        book.path = path;
        book.plain = true;
        if (near) book.namespace_ = namespace_;
        if (const Result<> opened = open(book); !opened.ok()) {
            books_.erase(path);
            return Error{Code::kUnavailable, "cannot write the hosts file of pods: " + opened.error().message};
        }
    }
    return path;
}

void NameFiles::on_pod(const PodRef& before, const PodRef& now) {
    // Plain files do not tell of pods.
    if (std::all_of(books_.begin(), books_.end(), [](const auto& each) { return each.second.plain; })) return;
    if (before && now && !may_change_lines(*before, *now)) return;
    if (before && (!now || !(before->metadata.uid == now->metadata.uid))) changed_[before->metadata.uid] = nullptr;
    if (now) changed_[now->metadata.uid] = now;
    work_.notify();
}

void NameFiles::on_service() {
    services_of_.clear();
    if (books_.empty()) return;
    services_changed_ = true;
    work_.notify();
}

os::Task<void> NameFiles::keep() {
    for (;;) {
        while (changed_.empty() && !services_changed_) co_await work_.wait();
        bool ok = true;
        for (auto& [path, book] : books_) ok = update(book).ok() && ok;
        for (const auto& [uid, pod] : changed_)
            if (!pod || has_ended(*pod)) drop_user(uid);
        changed_.clear();
        services_changed_ = false;
        if (ok) continue;
        // What could not be written is opened, and written whole, again.
        co_await os::sleep_for(loop_, kNamesRetry);
        services_changed_ = true;
    }
}

Result<HostsFile> NameFiles::file_for(const PodRef& pod, const Text& pod_ip) {
    const Text& uid = pod->metadata.uid;
    if (const auto found = book_of_.find(uid); found != book_of_.end()) return HostsFile{found->second->path};
    if (!needs_names(*pod)) {
        TRY_ASSIGN(std::string plain, plain_file(pod->metadata.namespace_));
        return HostsFile{std::move(plain), true};
    }
    std::string path = shared_path(pod->metadata.namespace_);
    bool own = !pod->spec.host_aliases.empty();
    if (const auto shared = books_.find(path); !own && !pod->spec.host_network && shared != books_.end())
        own = shared->second.host_names.contains(host_name_of(*pod));
    if (own) path = own_path(*pod);
    if (!books_.contains(path)) drop_idle_books();
    Book& book = books_[path];
    if (book.path.empty()) {
        book.path = path;
        book.own = own;
        book.namespace_ = pod->metadata.namespace_;
        if (own) book.head = alias_lines(*pod);
    }
    add_user(book, *pod, pod_ip);
    Lines come;
    Lines gone;
    Result<> written;
    if (!book.file) written = open(book);
    // The mirror may not show the pod as it is yet.
    if (written.ok()) {
        compare(book, uid, lines_of(book, pod.get()), come, gone);
        written = write(book, come, gone);
    }
    if (!written.ok()) {
        drop_user(uid);
        return Error{Code::kUnavailable, "cannot write the hosts file of the pod: " + written.error().message};
    }
    return HostsFile{path};
}

void NameFiles::take_over() {
    // Pods that run have them mounted. One that cannot be written now is, when the next pod needs it.
    if (files_.size(directory_ + kPlainFolder + kNear).ok()) (void)plain_file(kApiNamespace).ok();
    if (files_.size(directory_ + kPlainFolder + kFar).ok()) (void)plain_file({}).ok();
    const auto names = files_.list(directory_ + kHostsFolder);
    const std::set<std::string> shared =
        names.ok() ? std::set<std::string>(names->begin(), names->end()) : std::set<std::string>();
    for (const PodRef& pod : live_pods_()) {
        const bool own = files_.size(own_path(*pod)).ok();
        if (!own && !shared.contains(pod->metadata.namespace_.str())) continue;
        Book& book = books_[own ? own_path(*pod) : shared_path(pod->metadata.namespace_)];
        book.path = own ? own_path(*pod) : shared_path(pod->metadata.namespace_);
        book.own = own;
        book.namespace_ = pod->metadata.namespace_;
        if (own) book.head = alias_lines(*pod);
        add_user(book, *pod, pod->status.pod_ip);
    }
    for (const std::string& name : shared)
        if (!books_.contains(shared_path(name))) (void)files_.remove(shared_path(name)).ok();
    if (books_.empty()) return;
    services_changed_ = true;
    work_.notify();
}

}  // namespace muster::node
