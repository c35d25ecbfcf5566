#include "node/pods/messages.h"

#include <algorithm>

namespace muster::node {

using api::core::Container;
using api::core::Pod;

std::size_t message_limit(const Pod& pod) {
    const std::size_t containers =
        pod.spec.containers.size() + pod.spec.init_containers.size() + pod.spec.ephemeral_containers.size();
    return std::min(kMessageBytesMax, kPodMessageBytesMax / std::max<std::size_t>(1, containers));
}

void take_messages(const Pod& pod, RunsByContainer& runs, const ReadMessage& read) {
    for (const auto* list : {&pod.spec.init_containers, &pod.spec.containers}) {
        for (const Container& container : *list) {
            const auto found = runs.find(container.name);
            if (found == runs.end()) continue;
            ContainerRuns& known = found->second;
            for (Run* each : {known.before ? &known.before.edit() : nullptr, known.now ? &*known.now : nullptr}) {
                if (!each || each->active() || each->message_read) continue;
                Run& run = *each;
                run.message_read = true;
                if (run.reason == "StartError") continue;
                std::string said = read(container, run.attempt, run.exit_code);
                if (said.empty()) continue;
                said = (run.message.empty() ? "" : run.message.str() + ": ") + said;
                if (said.size() > message_limit(pod)) said.resize(message_limit(pod));
                run.message = said;
            }
        }
    }
}

}  // namespace muster::node
