// Rules of paths and file modes that several volume kinds share.
#include "api/validation/pod/pod_rules.h"

namespace muster::api {

bool has_backsteps(std::string_view path_text) {
    while (true) {
        const std::size_t slash = path_text.find('/');
        if (path_text.substr(0, slash) == "..") return true;
        if (slash == std::string_view::npos) return false;
        path_text.remove_prefix(slash + 1);
    }
}

// The system's calls take a text to its first NUL byte: what is run or mounted would not be what was checked.
void check_no_nul(std::string_view text, const FieldPath& path, FieldErrors& errors) {
    if (text.find('\0') != std::string_view::npos) errors.add_invalid(path, text, "must not contain NUL bytes");
}

void check_no_nul(const List<Text>& words, const FieldPath& path, FieldErrors& errors) {
    for (std::size_t i = 0; i < words.size(); ++i) check_no_nul(words[i], path.index(i), errors);
}

void check_no_backsteps(std::string_view path_text, const FieldPath& path, FieldErrors& errors) {
    check_no_nul(path_text, path, errors);
    if (has_backsteps(path_text)) errors.add_invalid(path, path_text, "must not contain '..'");
}

void check_descending_path(std::string_view path_text, const FieldPath& path, FieldErrors& errors) {
    if (path_text.starts_with('/')) errors.add_invalid(path, path_text, "must be a relative path");
    check_no_backsteps(path_text, path, errors);
}

void check_local_file_path(std::string_view path_text, const FieldPath& path, FieldErrors& errors) {
    check_descending_path(path_text, path, errors);
    // The node keeps names of its own there, such as ..data.
    if (path_text.starts_with("..") && !path_text.starts_with("../"))
        errors.add_invalid(path, path_text, "must not start with '..'");
}

void check_file_mode(const std::optional<std::int32_t>& mode, const FieldPath& path, FieldErrors& errors) {
    if (mode && (*mode < 0 || *mode > 0777))
        errors.add_invalid(path, *mode, "must be a number between 0 and 0777 (octal), both inclusive");
}

}  // namespace muster::api
