#include "cli/connection/surroundings.h"

#include <istream>
#include <iterator>

#include "os/files/files.h"

namespace muster::cli {
namespace {

constexpr std::size_t kManifestBytesMax = 64u << 20;

bool is_manifest(const std::string& name) {
    return name.ends_with(".yaml") || name.ends_with(".yml") || name.ends_with(".json");
}

Result<std::string> read_directory(os::Files& files, const std::string& path, const std::vector<std::string>& names) {
    std::string all;
    for (const std::string& name : names) {
        if (!is_manifest(name)) continue;
        TRY_ASSIGN(const std::string text, files.read(path + "/" + name, kManifestBytesMax));
        all += text + "\n---\n";
    }
    return all;
}

}  // namespace

std::function<Result<std::string>(const std::string&)> manifest_reader(os::Files& files, std::istream& input) {
    return [&files, &input](const std::string& path) -> Result<std::string> {
        if (path == "-") return std::string(std::istreambuf_iterator<char>(input), std::istreambuf_iterator<char>());
        if (path.starts_with("http://") || path.starts_with("https://"))
            return Error{Code::kBadRequest, "manifests are read from files, not from " + path};
        if (const Result<std::vector<std::string>> names = files.list(path); names.ok())
            return read_directory(files, path, *names);
        Result<std::string> text = files.read(path, kManifestBytesMax);
        if (!text.ok() && text.error().code == Code::kNotFound)
            return Error{Code::kNotFound, "the path \"" + path + "\" does not exist"};
        return text;
    };
}

ManifestsIn manifest_finder(os::Files& files) {
    return [&files](const std::string& path, bool recursive) -> Result<std::vector<std::string>> {
        const Result<std::vector<std::string>> names = files.list(path);
        if (path == "-" || !names.ok()) return std::vector<std::string>{path};
        std::vector<std::string> found;
        if (recursive) {
            TRY_ASSIGN(found, os::files_below(path));
        } else {
            for (const std::string& name : *names) found.push_back(path + (path.ends_with('/') ? "" : "/") + name);
        }
        std::erase_if(found, [](const std::string& file) { return !is_manifest(file); });
        if (found.empty())
            return Error{Code::kBadRequest,
                         "error reading [" + path + "]: recognized file extensions are [.json .yaml .yml]"};
        return found;
    };
}

}  // namespace muster::cli
