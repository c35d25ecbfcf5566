#include "node/inside/inside.h"

#include "node/keeper/start/program.h"
#include "os/process/process_facts.h"

namespace muster::node {
namespace {

std::string variable_name(const std::string& variable) { return variable.substr(0, variable.find('=') + 1); }

void put_variable(std::vector<std::string>& environment, const std::string& variable) {
    const std::string name = variable_name(variable);
    std::erase_if(environment, [&](const std::string& each) { return each.starts_with(name); });
    environment.push_back(variable);
}

}  // namespace

Result<std::shared_ptr<os::Process>> start_inside(os::Processes& processes, const InsideCommand& command,
                                                  const OnEnter& on_enter) {
    if (command.command.empty()) return Error{Code::kBadRequest, "you must specify at least one command"};
    TRY_ASSIGN(os::ProcessFacts facts, os::read_process_facts(command.pid));
    for (const std::string& variable : command.extra_environment) put_variable(facts.environment, variable);
    RunRequest search;
    search.command = command.command;
    search.environment = facts.environment;
    const std::vector<std::string> programs = program_candidates(search);
    os::ProcessSpec spec;
    spec.program = programs.front();
    spec.alternatives = {programs.begin() + 1, programs.end()};
    spec.arguments = command.command;
    spec.environment = std::move(facts.environment);
    spec.directory = command.directory.empty() ? facts.directory : command.directory;
    spec.input = command.input;
    spec.output = command.output;
    spec.error = command.error;
    spec.setup = std::move(facts.setup);
    spec.terminal = command.terminal;
    spec.ends_with_us = true;
    spec.label = facts.label;
    if (facts.label != 0 && on_enter) on_enter(facts.label);
    auto started = processes.start(spec);
    if (!started.ok() && started.error().code == Code::kNotFound)
        return Error{Code::kNotFound,
                     "exec: \"" + command.command.front() + "\": executable file not found in $PATH: unknown"};
    return started;
}

}  // namespace muster::node
