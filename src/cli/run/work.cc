#include "cli/run/work.h"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "api/codec/decode.h"
#include "api/defaults/job.h"
#include "api/kinds/batch_names.h"
#include "api/rules/kind_rules.h"
#include "cli/text/document.h"

namespace muster::cli {
namespace {

namespace json = boost::json;
using api::batch::Job;

Error bad_input(std::string message) { return {Code::kBadRequest, std::move(message)}; }

// "The Job "pi" is invalid:", and a line for each cause, as kubectl says it.
Error say_all(const std::string& name, const Error& error) {
    std::string text = "The Job \"" + name + "\" is invalid:";
    for (const Cause& cause : error.causes) text += "\n* " + cause.field + ": " + cause.message;
    return {Code::kInvalid, error.causes.empty() ? error.message : text};
}

// As the server will check it, on a copy.
Result<> check_job(Job job) {
    const api::KindInfo& kind = api::kind_info<Job>();
    const api::KindRules& rules = *api::find_rules(kind);
    const std::string name = job.metadata.name.str();
    if (job.metadata.name.empty() && !job.metadata.generate_name.empty())
        job.metadata.name = job.metadata.generate_name.str() + "abcde";
    job.metadata.uid = "00000000-0000-4000-8000-000000000000";
    rules.fill_defaults(&job);
    rules.prepare_create(&job);
    api::FieldErrors errors = rules.validate_create(&job, {});
    if (errors.empty()) return {};
    return say_all(name, api::invalid_object(kind, name, std::move(errors)));
}

Result<Job> read_job(const json::object& object, const std::string& source) {
    Job job;
    const auto in_source = [&](const Error& error) { return bad_input(source + ": " + error.message); };
    const auto decoded = api::decode_json(Job::info(), &job, json::serialize(object));
    if (!decoded.ok()) return in_source(decoded.error());
    if (const auto strict = api::check_strict(*decoded); !strict.ok()) return in_source(strict.error());
    return job;
}

Result<> add_manifest(const RunOptions& options, const std::string& source, const std::string& text, Work& work) {
    TRY_ASSIGN(const std::vector<json::object> objects, parse_manifest(text, source));
    for (const json::object& object : objects) {
        const json::value value(object);
        const bool is_job = text_at(value, "/kind") == "Job" && text_at(value, "/apiVersion") == "batch/v1";
        if (!is_job) {
            work.others.push_back(json::serialize(object));
            continue;
        }
        TRY_ASSIGN(Job job, read_job(object, source));
        if (!options.namespace_.empty()) {
            if (!job.metadata.namespace_.empty() && job.metadata.namespace_ != options.namespace_)
                return bad_input("the Job \"" + job.metadata.name.str() + "\" is of the namespace \"" +
                                 job.metadata.namespace_.str() + "\", not \"" + options.namespace_ + '"');
            job.metadata.namespace_ = options.namespace_;
        }
        work.jobs.push_back(std::move(job));
    }
    return {};
}

bool has_command_flags(const RunOptions& options) {
    return !options.name.empty() || options.completions || options.parallelism || options.retries ||
           options.backoff_limit || options.backoff_limit_per_index || options.max_failed_indexes ||
           !options.env.empty() || options.clean_env || !options.work_directory.empty() || !options.cpu.empty() ||
           !options.memory.empty() || options.keep;
}

Result<Work> read_manifests(const RunOptions& options, const ReadManifest& read) {
    if (has_command_flags(options))
        return bad_input("a manifest says by itself how its Jobs run: flags for that go with a command behind --");
    Work work;
    for (const std::string& file : options.files) {
        Result<std::string> text = read(file);
        if (!text.ok() && text.error().code == Code::kNotFound)
            return bad_input("there is no file \"" + file + "\"; a command to run stands behind --: muster run -- " +
                             file);
        TRY(text);
        TRY(add_manifest(options, file, *text, work));
    }
    if (work.jobs.empty()) return bad_input("there is no Job in " + options.files.front());
    return work;
}

// What the server and this program add, or may change, is no difference.
void level(Job& job) {
    for (const char* label : {api::batch::kControllerUidLabel, api::batch::kJobNameLabel,
                              api::batch::kLegacyControllerUidLabel, api::batch::kLegacyJobNameLabel})
        job.spec.template_.metadata.labels.erase(label);
    if (job.spec.template_.metadata.labels.empty()) job.spec.template_.metadata.labels.reset();
    job.spec.template_.metadata.creation_timestamp = {};
    if (!job.spec.manual_selector.value_or(false)) job.spec.selector.reset();
    job.spec.suspend.reset();
    job.spec.parallelism.reset();
    job.spec.ttl_seconds_after_finished.reset();
    job.metadata.generation = 0;
}

}  // namespace

Result<Work> gather_work(const RunOptions& options, const Caller& caller, const ReadManifest& read) {
    if (options.has_command && !options.files.empty())
        return bad_input("give manifests, or a command behind --, not both: \"" + options.files.front() +
                         "\" stands before --");
    if (options.keep && options.remove) return bad_input("--keep and --rm say the opposite of each other");
    if (options.has_command && options.command.empty()) return bad_input("there is no command behind --");
    if (!options.has_command && options.files.empty())
        return bad_input("say what to run: a manifest, or a command behind --");
    Work work;
    if (options.has_command) {
        TRY_ASSIGN(Job job, make_command_job(options, caller));
        work.jobs.push_back(std::move(job));
    } else {
        TRY_ASSIGN(work, read_manifests(options, read));
    }
    for (Job& job : work.jobs) {
        if (job.metadata.namespace_.empty()) job.metadata.namespace_ = "default";
        TRY(check_job(job));
    }
    return work;
}

bool is_same_work(const Job& stored, const Job& draft) {
    const auto mark_of = [](const Job& job) {
        const Text* mark = job.metadata.annotations.find(kEnvAnnotation);
        return mark ? *mark : Text();
    };
    if (mark_of(stored) != mark_of(draft)) return false;
    Job left = stored;
    Job right = draft;
    api::find_rules(api::kind_info<Job>())->fill_defaults(&right);
    level(left);
    level(right);
    // A command's environment is whatever the caller's was when it was first run.
    if (!mark_of(draft).empty()) {
        const auto& containers = left.spec.template_.spec.containers;
        if (containers.size() != 1) return false;
        right.spec.template_.spec.containers.edit()[0].env = containers[0].env;
    }
    return left.spec == right.spec;
}

}  // namespace muster::cli
