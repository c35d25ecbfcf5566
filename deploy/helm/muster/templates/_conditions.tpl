{{- /* Each is "true" or "false". */ -}}
{{- define "muster.queues" -}}{{ has "queue" .Values.controllers }}{{- end -}}
{{- define "muster.webhook" -}}{{ and (has "queue" .Values.controllers) (eq .Values.admission "webhook") }}{{- end -}}
{{- define "muster.policies" -}}{{ and (has "queue" .Values.controllers) (eq .Values.admission "policies") }}{{- end -}}
{{- define "muster.certManager" -}}
{{ and (has "queue" .Values.controllers) (eq .Values.admission "webhook") (eq .Values.webhookCertificates "cert-manager") }}
{{- end -}}
{{- define "muster.image" -}}{{ .Values.image | default (printf "muster-controllers:%s" .Chart.AppVersion) }}{{- end -}}
