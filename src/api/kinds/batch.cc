#include "api/kinds/batch.h"

namespace muster::api::batch {

DEFINE_TYPE(PodFailurePolicyOnExitCodesRequirement)
DEFINE_TYPE(PodFailurePolicyOnPodConditionsPattern)
DEFINE_TYPE(PodFailurePolicyRule)
DEFINE_TYPE(PodFailurePolicy)
DEFINE_TYPE(SuccessPolicyRule)
DEFINE_TYPE(SuccessPolicy)
DEFINE_TYPE(JobSchedulingConfiguration)
DEFINE_TYPE(JobSpec)
DEFINE_TYPE(UncountedTerminatedPods)
DEFINE_TYPE(JobCondition)
DEFINE_TYPE(JobStatus)
DEFINE_TYPE(Job)
DEFINE_TYPE(JobTemplateSpec)
DEFINE_TYPE(CronJobSpec)
DEFINE_TYPE(CronJobStatus)
DEFINE_TYPE(CronJob)

}  // namespace muster::api::batch
