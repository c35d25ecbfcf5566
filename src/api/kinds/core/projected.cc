#include "api/kinds/core/projected.h"

namespace muster::api::core {

DEFINE_TYPE(KeyToPath)
DEFINE_TYPE(SecretVolumeSource)
DEFINE_TYPE(ConfigMapVolumeSource)
DEFINE_TYPE(DownwardAPIVolumeFile)
DEFINE_TYPE(DownwardAPIVolumeSource)
DEFINE_TYPE(SecretProjection)
DEFINE_TYPE(ConfigMapProjection)
DEFINE_TYPE(DownwardAPIProjection)
DEFINE_TYPE(ServiceAccountTokenProjection)
DEFINE_TYPE(ClusterTrustBundleProjection)
DEFINE_TYPE(PodCertificateProjection)
DEFINE_TYPE(VolumeProjection)
DEFINE_TYPE(ProjectedVolumeSource)

}  // namespace muster::api::core
