#include "manifests/charts.h"

namespace muster::manifests {
namespace {

constexpr Alert kAlerts[] = {
    {"MusterHasNoLeader",
     "max(leader_election_master_status{name=\"muster-controllers\"}) < 1 or "
     "absent(leader_election_master_status{name=\"muster-controllers\"})",
     "1m", "critical", "No instance of muster-controllers holds the lease: Jobs and queues stand still.",
     "Look at the pods' logs and at the Lease muster-controllers: kubectl -n muster-system get lease,pods."},
    {"MusterPodsKeepTheirFinalizer", "max(job_terminated_pod_tracking_finalizer) > 0", "15m", "warning",
     "Finished pods have kept the finalizer batch.kubernetes.io/job-tracking for 15 minutes.",
     "Their Jobs are not counted to the end. Look for refused requests in rest_client_requests_total and in the log."},
    {"MusterReadsStaleData", "sum(rate(job_controller_stale_sync_skips_total[5m])) > 1", "10m", "warning",
     "Syncs of Jobs wait because the API server's watches lag behind its writes.",
     "The API server or etcd is overloaded. Nothing is counted wrongly; Jobs are late."},
    {"MusterRequestsFail",
     "sum(rate(rest_client_requests_total{job=\"muster-metrics\",code=~\"5..|<error>\"}[5m])) / "
     "sum(rate(rest_client_requests_total{job=\"muster-metrics\"}[5m])) > 0.05",
     "10m", "warning", "More than 5 % of Muster's requests to the API server fail.",
     "Look at the API server first, then at the network between them."},
    {"MusterIsRefused", "sum(rate(rest_client_requests_total{job=\"muster-metrics\",code=~\"401|403\"}[5m])) > 0", "5m",
     "warning", "The API server refuses requests of Muster.",
     "Compare the cluster's RBAC objects with those that muster manifests rbac prints for this version."},
    {"MusterWebhookIsSlow",
     "histogram_quantile(0.99, sum by (le) (rate(controller_runtime_webhook_latency_seconds_bucket"
     "{job=\"muster-metrics\"}[5m]))) > 1",
     "10m", "warning", "One of a hundred reviews of pods and Jobs takes more than a second.",
     "The API server gives up after 5 seconds and refuses queued work. Look at muster_webhook_reads_total: reviews are "
     "answered from memory unless objects must be read."},
    {"MusterWorkStands", "max(workqueue_longest_running_processor_seconds{job=\"muster-metrics\"}) > 300", "5m",
     "warning", "One object has been worked on for more than five minutes.",
     "Look at /debug on the metrics port: it says what is waited for."},
};

constexpr Chart kWorkCharts[] = {
    {"Leader", "leader_election_master_status{name=\"muster-controllers\"}", "{{pod}}", "short"},
    {"Pods created", "sum by (reason) (rate(job_controller_job_pods_creation_total[1m]))", "{{reason}}", "ops"},
    {"Pods counted", "sum by (result) (rate(job_controller_job_pods_finished_total[1m]))", "{{result}}", "ops"},
    {"Jobs finished", "sum by (result) (rate(job_controller_jobs_finished_total[5m]))", "{{result}}", "ops"},
    {"Duration of a Job's sync, 99 %",
     "histogram_quantile(0.99, sum by (le) (rate(job_controller_job_sync_duration_seconds_bucket[5m])))", "p99", "s"},
    {"Finished pods that keep their finalizer", "max(job_terminated_pod_tracking_finalizer)", "pods", "short"},
};

constexpr Chart kQueueCharts[] = {
    {"Workloads that wait", "sum by (cluster_queue, status) (kueue_pending_workloads)", "{{cluster_queue}} {{status}}",
     "short"},
    {"Workloads that are admitted", "sum by (cluster_queue) (kueue_admitted_active_workloads)", "{{cluster_queue}}",
     "short"},
    {"Quota in use",
     "sum by (cluster_queue, resource) (kueue_cluster_queue_resource_usage) / "
     "sum by (cluster_queue, resource) (kueue_cluster_queue_nominal_quota)",
     "{{cluster_queue}} {{resource}}", "percentunit"},
    {"Wait until admission, 90 %",
     "histogram_quantile(0.9, sum by (le, cluster_queue) (rate(kueue_admission_wait_time_seconds_bucket[15m])))",
     "{{cluster_queue}}", "s"},
    {"Evictions", "sum by (cluster_queue, reason) (rate(kueue_evicted_workloads_total[15m]))",
     "{{cluster_queue}} {{reason}}", "ops"},
};

constexpr Chart kClientCharts[] = {
    {"Requests to the API server",
     "sum by (method, code) (rate(rest_client_requests_total{job=\"muster-metrics\"}[1m]))", "{{method}} {{code}}",
     "reqps"},
    {"Duration of a request, 99 %",
     "histogram_quantile(0.99, sum by (le, verb) "
     "(rate(rest_client_request_duration_seconds_bucket{job=\"muster-metrics\"}[5m])))",
     "{{verb}}", "s"},
    {"Reviews of the webhook",
     "sum by (webhook, code) (rate(controller_runtime_webhook_requests_total{job=\"muster-metrics\"}[1m]))",
     "{{webhook}} {{code}}", "reqps"},
    {"Depth of the work queues", "sum by (name) (workqueue_depth{job=\"muster-metrics\"})", "{{name}}", "short"},
    {"Syncs that waited for the mirrors", "sum by (resource) (rate(job_controller_stale_sync_skips_total[5m]))",
     "{{resource}}", "ops"},
    {"Memory", "process_resident_memory_bytes{job=\"muster-metrics\"}", "{{pod}}", "bytes"},
    {"Processor", "rate(process_cpu_seconds_total{job=\"muster-metrics\"}[1m])", "{{pod}}", "short"},
};

constexpr ChartRow kRows[] = {{"Jobs", kWorkCharts}, {"Queues", kQueueCharts}, {"The process", kClientCharts}};

}  // namespace

std::span<const Alert> alerts() { return kAlerts; }
std::span<const ChartRow> chart_rows() { return kRows; }

}  // namespace muster::manifests
