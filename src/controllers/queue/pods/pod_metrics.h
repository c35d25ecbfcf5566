// What is counted of pods in queues: the three of the proposal, and how long an admitted pod still waits.
#pragma once

#include "client/metrics.h"

namespace muster::controllers::podqueue {

// So that they are there, as zero, before anything has happened.
void declare_pod_metrics(client::Metrics& metrics);
void count_gated(client::Metrics& metrics);
void count_ungated(client::Metrics& metrics);
void count_rejected(client::Metrics& metrics);
// From admission to the removal of the gate.
void observe_gate_removal(client::Metrics& metrics, const std::string& cluster_queue, bool is_group, double seconds);

}  // namespace muster::controllers::podqueue
