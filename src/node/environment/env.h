// A container's environment and command line, from what its manifest says: values with $(VAR) references, fields of
// the pod, keys of ConfigMaps and Secrets. Pure: the objects that are referred to are handed in.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "api/kinds/core/config.h"
#include "api/kinds/core/pod.h"
#include "base/result.h"
#include "node/environment/downward.h"
#include "node/environment/expansion.h"

namespace muster::node {

// The objects that a container refers to, by name, in the pod's namespace. One that is not there stands as null.
struct Referred {
    std::map<Text, std::shared_ptr<const api::core::ConfigMap>> config_maps{};
    std::map<Text, std::shared_ptr<const api::core::Secret>> secrets{};
};
// What has to be looked up before make_environment() can say anything.
struct References {
    std::vector<Text> config_maps{};
    std::vector<Text> secrets{};
};
References environment_references(const api::core::Container& container);

struct EnvironmentView {
    const api::core::Pod& pod;
    const api::core::Container& container;
    const NodeFacts& facts;
    const Text& pod_ip;
    const Referred& referred;
    // What stands below everything else: PATH, HOSTNAME. References see it.
    const Environment& base;
    os::ExecLimits limits{};
    const Environment* services = nullptr;  // below the base: the variables of services; may be null
};
// Fails with kNotFound, kBadRequest or kTooLarge and the sentence that a kubelet puts under CreateContainerConfigError.
Result<Environment> make_environment(const EnvironmentView& view);

// command and args with their references expanded. There is no image that could give a default, so without a command
// args[0] is the program; with neither, the program is the empty word, which no machine has. kTooLarge when the kernel
// would not start it with this environment.
Result<std::vector<std::string>> make_command(const api::core::Container& container, const Environment& environment,
                                              const os::ExecLimits& limits = {});
// What is to be said beside the failure of a start: that there is no command. Empty when there is one.
std::string missing_command_note(const api::core::Container& container);

}  // namespace muster::node
