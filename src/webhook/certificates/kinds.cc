#include "webhook/certificates/kinds.h"

namespace muster::webhook::registration {

DEFINE_TYPE(ServiceReference)
DEFINE_TYPE(ClientConfig)
DEFINE_TYPE(Webhook)
DEFINE_TYPE(MutatingWebhookConfiguration)
DEFINE_TYPE(ValidatingWebhookConfiguration)

}  // namespace muster::webhook::registration

namespace muster::webhook::definition {

DEFINE_TYPE(WebhookConversion)
DEFINE_TYPE(CustomResourceConversion)
DEFINE_TYPE(CustomResourceDefinitionSpec)
DEFINE_TYPE(CustomResourceDefinition)

}  // namespace muster::webhook::definition
