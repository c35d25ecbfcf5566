// Where the volumes of a pod are on this machine, and how they go.
#pragma once

#include <map>
#include <string>

#include "base/text.h"

namespace muster::node {

struct VolumePlace {
    std::string path{};
    bool of_machine = false;  // a hostPath: not ours
    bool written = false;     // by the node: its containers cannot write it
};
using VolumePlaces = std::map<Text, VolumePlace>;  // by the volume's name

// Memory of an ordinary user's pod.
std::string shared_memory_directory(const Text& pod_uid);
// Unmounts and removes all that a pod has on disk and in memory: volumes, logs, what was staged. What is not there is
// fine; a hostPath is never touched.
void remove_pod_files(const std::string& pod_directory, const Text& pod_uid);

}  // namespace muster::node
