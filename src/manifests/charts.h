// What operators watch: the alerts and the charts, as one table each. monitoring.cc makes a PrometheusRule and a
// dashboard for Grafana of them. Every metric that they name is in docs/metrics.md.
#pragma once

#include <span>

namespace muster::manifests {

struct Alert {
    const char* name;
    const char* expression;  // PromQL
    const char* for_;        // how long it must hold
    const char* severity;    // warning, critical
    const char* summary;
    const char* advice;  // what to look at
};

struct Chart {
    const char* title;
    const char* expression;
    const char* legend;
    const char* unit;  // as Grafana calls it
};

// A row of charts under one heading.
struct ChartRow {
    const char* title;
    std::span<const Chart> charts;
};

std::span<const Alert> alerts();
std::span<const ChartRow> chart_rows();

}  // namespace muster::manifests
