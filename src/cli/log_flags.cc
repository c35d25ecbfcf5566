#include "cli/log_flags.h"

#include <CLI/CLI.hpp>
#include <string>

namespace muster::cli {
namespace {

constexpr const char* kLogGroup = "What is logged";

// A verb that has the flags itself says with them how another process logs.
bool has_own_flags(const CLI::App& verb) { return verb.get_option_no_throw("--log-format") != nullptr; }
bool logs_nothing(const CLI::App& verb) {
    return has_own_flags(verb) || verb.get_name() == "help" || verb.get_name() == "completion";
}

}  // namespace

void declare_log_flags(CLI::App& app, LogOptions& options) {
    for (CLI::App* verb : app.get_subcommands([](const CLI::App* one) { return !logs_nothing(*one); })) {
        verb->add_option("-v,--v", options.verbosity,
                         "How much is logged, 0 to 10: 2 what is done, 4 why, 6 requests, 8 their sizes. 0")
            ->check(CLI::Range(0, kLogVerbosityMax))
            ->take_last()
            ->group(kLogGroup);
        const auto set_format = [&options](const std::string& word) {
            const Result<os::LogFormat> format = os::parse_log_format(word);
            if (!format.ok()) throw CLI::ValidationError(format.error().message);
            options.format = *format;
        };
        verb->add_option_function<std::string>("--log-format", set_format,
                                               "How lines of the log are written: text, as klog does, or json. text")
            ->take_last()
            ->group(kLogGroup);
        declare_log_flags(*verb, options);
    }
}

}  // namespace muster::cli
