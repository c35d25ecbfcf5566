#include "node/process/termination_message.h"

#include <algorithm>

#include "node/logs/log_cursor.h"
#include "node/runtime/node_paths.h"
#include "node/sandbox/sandbox.h"
#include "os/files/read_file.h"

namespace muster::node {
namespace {

using api::core::Container;

constexpr std::string_view kDefaultPath = "/dev/termination-log";

std::optional<std::string> read_tail(const std::string& path, std::size_t size_max) {
    const Result<os::ReadFile> file = os::ReadFile::open(path);
    if (!file.ok()) return {};
    const Result<std::uint64_t> size = file->size();
    if (!size.ok()) return {};
    std::string text(std::min<std::uint64_t>(*size, size_max), '\0');
    const Result<std::size_t> count = file->read_at(*size - text.size(), {text.data(), text.size()});
    if (!count.ok()) return {};
    text.resize(*count);
    return text;
}

bool mentions(const List<Text>& words, std::string_view path) {
    return std::any_of(words.begin(), words.end(),
                       [&](const Text& word) { return word.view().find(path) != std::string_view::npos; });
}

}  // namespace

std::string message_file(const std::string& directory, const RunKey& key) {
    return pod_directory(directory, key.pod_uid) + '/' + key.container.str() + '/' + std::to_string(key.attempt) +
           ".message";
}

bool wants_message_file(const Container& container, bool own_root) {
    const std::string_view path = container.termination_message_path.view();
    if (path.empty()) return false;
    if (own_root || path != kDefaultPath) return true;
    if (mentions(container.command, path) || mentions(container.args, path)) return true;
    return std::any_of(container.env.begin(), container.env.end(), [&](const auto& variable) {
        return variable.value.view().find(path) != std::string_view::npos;
    });
}

std::string read_termination_message(const Container& container, const RunKey& key, const std::string& directory,
                                     int exit_code) {
    std::string message;
    // Of the others no file was made.
    if (wants_message_file(container, !rootfs_path(container).empty()))
        message = read_tail(message_file(directory, key), kMessageBytesMax).value_or("");
    if (!message.empty() || exit_code == 0 || !(container.termination_message_policy == "FallbackToLogsOnError"))
        return message;
    return read_log_tail(run_log(directory, key), kMessageLogLinesMax, kMessageLogBytesMax);
}

}  // namespace muster::node
