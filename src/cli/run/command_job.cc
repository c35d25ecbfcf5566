#include "cli/run/command_job.h"

#include <algorithm>

#include "api/text/utf8.h"
#include "base/ascii.h"

namespace muster::cli {
namespace {

using api::core::Container;
using api::core::EnvVar;

constexpr std::string_view kIndexName = "JOB_COMPLETION_INDEX";
constexpr std::size_t kNameMax = 40;           // leaves room for the hash and for an index behind it
constexpr std::int32_t kKeptSeconds = 604800;  // a week
// What the shell keeps for itself, and what says where it was.
constexpr std::string_view kNotPassed[] = {"_", "SHLVL", "PWD", "OLDPWD"};
constexpr std::string_view kCleanPassed[] = {"PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "TZ", "TMPDIR"};

Error bad_flag(std::string message) { return {Code::kBadRequest, std::move(message)}; }

bool is_name_character(char c) { return is_alphanumeric(c) || c == '_'; }

// How many characters at the start of `text`, which begins with $, refer to the index. 0: none.
std::size_t index_reference(std::string_view text) {
    const std::string_view rest = text.substr(1);
    if (rest.starts_with(kIndexName)) {
        const std::size_t end = kIndexName.size();
        return end < rest.size() && is_name_character(rest[end]) ? 0 : end + 1;
    }
    if (rest.empty() || (rest[0] != '{' && rest[0] != '(')) return 0;
    const char close = rest[0] == '{' ? '}' : ')';
    const std::string_view inside = rest.substr(1);
    const bool is_index =
        inside.starts_with(kIndexName) && inside.size() > kIndexName.size() && inside[kIndexName.size()] == close;
    return is_index ? kIndexName.size() + 3 : 0;
}

std::uint64_t hash_text(std::string_view text) {  // FNV-1a: the same on every machine and in every version
    std::uint64_t hash = 14695981039346656037u;
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
    return hash;
}

std::string hex8(std::uint64_t hash) {
    static constexpr char kHex[] = "0123456789abcdef";
    hash ^= hash >> 32;
    std::string out;
    for (int shift = 28; shift >= 0; shift -= 4) out += kHex[(hash >> shift) & 15];
    return out;
}

template <std::size_t N>
bool is_one_of(std::string_view name, const std::string_view (&names)[N]) {
    return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

// The API takes names of printable ASCII and values of UTF-8; shells also have functions and bytes.
bool can_pass(std::string_view name, std::string_view value) {
    if (name.starts_with("BASH_FUNC_")) return false;
    const bool printable = std::all_of(name.begin(), name.end(), [](char c) { return c > ' ' && c < 127; });
    return printable && api::is_utf8(value) && value.find('\0') == std::string_view::npos;
}

const std::string* find_variable(const Caller& caller, std::string_view name) {
    for (const auto& [each, value] : caller.environment)
        if (each == name) return &value;
    return nullptr;
}

EnvVar variable(std::string_view name, std::string_view value) {
    EnvVar out;
    out.name = name;
    out.value = escape_references(value);
    return out;
}

// NAME=value as given, NAME with the caller's value.
Result<std::vector<std::pair<std::string, std::string>>> parse_env(const RunOptions& options, const Caller& caller) {
    std::vector<std::pair<std::string, std::string>> out;
    for (const std::string& each : options.env) {
        const std::size_t equals = each.find('=');
        const std::string name = each.substr(0, equals);
        if (name.empty()) return bad_flag("--env is NAME=VALUE or NAME, not \"" + each + '"');
        if (equals != std::string::npos) {
            out.emplace_back(name, each.substr(equals + 1));
            continue;
        }
        const std::string* value = find_variable(caller, name);
        if (!value) return bad_flag("--env " + name + ": there is no such variable in the environment");
        out.emplace_back(name, *value);
    }
    return out;
}

Result<> check_counts(const RunOptions& options) {
    const auto at_least = [](const char* flag, const std::optional<std::int32_t>& value, int least) -> Result<> {
        if (!value || *value >= least) return {};
        return bad_flag(std::string(flag) + " must be at least " + std::to_string(least));
    };
    TRY(at_least("--completions", options.completions, 1));
    TRY(at_least("--parallelism", options.parallelism, 1));
    TRY(at_least("--retries", options.retries, 0));
    TRY(at_least("--backoff-limit", options.backoff_limit, 0));
    TRY(at_least("--backoff-limit-per-index", options.backoff_limit_per_index, 0));
    TRY(at_least("--max-failed-indexes", options.max_failed_indexes, 0));
    if (options.retries && (options.backoff_limit || options.backoff_limit_per_index))
        return bad_flag("--retries stands for a back-off limit: give one or the other");
    return {};
}

// One that is tried again fails the run by itself; of many each has its own tries, and the others go on without it.
void set_retries(const RunOptions& options, api::batch::JobSpec& spec) {
    const bool many = spec.completions.value_or(1) > 1;
    if (options.backoff_limit) spec.backoff_limit = *options.backoff_limit;
    if (options.backoff_limit_per_index) spec.backoff_limit_per_index = *options.backoff_limit_per_index;
    if (options.max_failed_indexes) spec.max_failed_indexes = *options.max_failed_indexes;
    if (options.backoff_limit || options.backoff_limit_per_index) return;
    const std::int32_t retries = options.retries.value_or(0);
    if (many || options.max_failed_indexes)
        spec.backoff_limit_per_index = retries;
    else
        spec.backoff_limit = retries;
}

Result<> set_requests(const RunOptions& options, Container& container) {
    const auto set = [&](const char* flag, const char* resource, const std::string& text) -> Result<> {
        if (text.empty()) return {};
        const Result<api::Quantity> amount = api::Quantity::parse(text);
        if (!amount.ok() || amount->sign() <= 0)
            return bad_flag(std::string(flag) + " is an amount such as 2, 500m or 4Gi, not \"" + text + '"');
        container.resources.requests.set(resource, *amount);
        return {};
    };
    TRY(set("--cpu", "cpu", options.cpu));
    return set("--memory", "memory", options.memory);
}

// Everything that makes it other work, separated by what no argument can hold.
std::string identity_of(const RunOptions& options, const std::string& directory, const api::batch::JobSpec& spec) {
    std::string out = directory + '\0';
    for (const std::string& word : options.command) out += word + '\0';
    out += '\0' + options.cpu + '\0' + options.memory + '\0' + (options.clean_env ? "clean" : "") + '\0';
    for (const std::string& each : options.env) out += each + '\0';
    for (const auto& number :
         {spec.completions, spec.backoff_limit, spec.backoff_limit_per_index, spec.max_failed_indexes})
        out += (number ? std::to_string(*number) : "-") + '\0';
    return out;
}

}  // namespace

std::string escape_references(std::string_view text) {
    std::string out;
    for (const char c : text) out.append(c == '$' ? 2 : 1, c);
    return out;
}

std::string refer_to_index(std::string_view argument) {
    std::string out;
    while (!argument.empty()) {
        const std::size_t dollar = argument.find('$');
        out += argument.substr(0, dollar);
        if (dollar == std::string_view::npos) break;
        argument.remove_prefix(dollar);
        const std::size_t length = index_reference(argument);
        if (length > 0)
            out.append("$(").append(kIndexName).append(")");
        else
            out += "$$";
        argument.remove_prefix(std::max<std::size_t>(length, 1));
    }
    return out;
}

std::string derive_name(std::string_view program, std::string_view identity) {
    std::string name;
    for (const char c : program.substr(program.rfind('/') + 1)) {
        if (is_alphanumeric(c))
            name += lower(c);
        else if (!name.empty() && name.back() != '-')
            name += '-';
    }
    name.resize(std::min(name.size(), kNameMax));
    while (!name.empty() && name.back() == '-') name.pop_back();
    if (name.empty() || is_digit(name[0])) name = name.empty() ? "run" : "run-" + name;
    return name + '-' + hex8(hash_text(identity));
}

Result<api::batch::Job> make_command_job(const RunOptions& options, const Caller& caller) {
    TRY(check_counts(options));
    TRY_ASSIGN(const auto explicit_env, parse_env(options, caller));
    api::batch::Job job;
    api::batch::JobSpec& spec = job.spec;
    spec.completion_mode = "Indexed";
    spec.completions = options.completions.value_or(1);
    spec.parallelism = std::min(options.parallelism.value_or(caller.processors), *spec.completions);
    if (!options.keep) spec.ttl_seconds_after_finished = kKeptSeconds;
    set_retries(options, spec);

    Container container;
    container.name = "command";
    container.image = "none";  // there is none: the command is a program of this machine
    std::vector<Text> words;
    for (const std::string& word : options.command) words.emplace_back(refer_to_index(word));
    container.command = List<Text>(std::move(words));
    container.working_dir = options.work_directory.empty() ? caller.directory : options.work_directory;
    TRY(set_requests(options, container));

    std::vector<EnvVar> env;
    for (const auto& [name, value] : caller.environment) {
        const bool wanted = options.clean_env ? is_one_of(name, kCleanPassed) : !is_one_of(name, kNotPassed);
        const bool replaced = std::any_of(explicit_env.begin(), explicit_env.end(),
                                          [&own = name](const auto& each) { return each.first == own; });
        if (wanted && !replaced && name != kIndexName && can_pass(name, value)) env.push_back(variable(name, value));
    }
    std::string env_text;
    for (const auto& [name, value] : explicit_env) {
        env.push_back(variable(name, value));
        env_text += name + '=' + value + '\n';
    }
    container.env = List<EnvVar>(std::move(env));
    job.metadata.annotations.set(kEnvAnnotation, hex8(hash_text(env_text)));

    const std::string identity = identity_of(options, container.working_dir.str(), spec);
    job.metadata.name = options.name.empty() ? derive_name(options.command.front(), identity) : options.name;
    job.metadata.namespace_ = options.namespace_;
    spec.template_.spec.containers = List<Container>{std::move(container)};
    spec.template_.spec.restart_policy = "Never";
    return job;
}

}  // namespace muster::cli
