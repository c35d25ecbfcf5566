#include "controllers/queue/queue.h"

namespace muster::controllers {

// Each is a controller with a constructor of (loop, client, metrics, …) and start().
struct QueueControllers::Members {
    Members(os::Loop&, client::Client&, client::Metrics&, const QueueOptions&) {}
    void start() {}
};

QueueControllers::QueueControllers(os::Loop& loop, client::Client& client, client::Metrics& metrics,
                                   QueueOptions options)
    : members_(std::make_unique<Members>(loop, client, metrics, options)) {}

QueueControllers::~QueueControllers() = default;

void QueueControllers::start() { members_->start(); }

}  // namespace muster::controllers
