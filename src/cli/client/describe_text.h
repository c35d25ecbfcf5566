// The lines of a description while they are written: levels of indent, "Name:\tvalue" with columns aligned at the end,
// and the pieces that several kinds share.
#pragma once

#include <boost/json/value.hpp>
#include <string>
#include <string_view>

#include "base/instant.h"

namespace muster::cli {

class DescribeText {
public:
    // One line, indented by two spaces for each level. Tabs are columns.
    void line(int level, std::string_view text);
    // "Name:\tvalue", with what stands for nothing when the value is empty.
    void field(int level, std::string_view name, std::string_view value, std::string_view nothing = "<none>");
    // The same of the value at a JSON pointer.
    void field_at(int level, std::string_view name, const boost::json::value& object, std::string_view pointer,
                  std::string_view nothing = "<none>");
    // Only when there is a value.
    void optional_at(int level, std::string_view name, const boost::json::value& object, std::string_view pointer);
    // One label or annotation per line, the name before the first.
    void pairs(int level, std::string_view name, const boost::json::value* map, std::string_view separator = "=");
    // All fields of a value by their names: for kinds without a description of their own.
    void tree(int level, const boost::json::value& value) { tree(level, value, false); }

    // Name, namespace, labels and annotations.
    void metadata(const boost::json::value& object);
    // "Mon, 02 Jan 2006 15:04:05 +0000" of a time as the API writes it.
    static std::string time_text(std::string_view time);

    std::string aligned() const;

private:
    void tree(int level, const boost::json::value& value, bool names_are_theirs);
    void text_lines(int level, const std::string& name, std::string_view text);

    std::string text_;
};

// Containers, volumes and the rest of a pod's spec, with the state of its containers when `status` is given.
void describe_containers(DescribeText& text, int level, const char* heading, const boost::json::value& spec,
                         std::string_view list, const boost::json::value* statuses);
void describe_volumes(DescribeText& text, int level, const boost::json::value& spec);
void describe_pod_template(DescribeText& text, int level, const boost::json::value& pod_template);

// The kinds' own descriptions, without events.
void describe_pod(DescribeText& text, const boost::json::value& pod);
void describe_job(DescribeText& text, const boost::json::value& job, Instant now);
void describe_cron_job(DescribeText& text, const boost::json::value& cron_job);
// `pods` are those that run on the node.
void describe_node(DescribeText& text, const boost::json::value& node, const boost::json::value* pods, Instant now);
void describe_any(DescribeText& text, const boost::json::value& object);

// "Type  Reason  Age  From  Message" of a list of events, oldest first.
void describe_events(DescribeText& text, const boost::json::value& events, Instant now);

// "5m" since then, "<unknown>" when it is no time.
std::string age_text(std::string_view time, Instant now);

}  // namespace muster::cli
