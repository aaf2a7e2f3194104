// Decode reads rendered manifests from standard input and decodes each into the Go type of its kind. A member that the type does not have, or a wrong
// type, is an error: the API server would refuse it, or ignore it silently.
package main

import (
	"bytes"
	"fmt"
	"io"
	"os"

	monitoring "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	apps "k8s.io/api/apps/v1"
	core "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
	policy "k8s.io/api/policy/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

var types = map[string]func() any{
	"v1 ConfigMap":                            func() any { return &core.ConfigMap{} },
	"v1 Service":                              func() any { return &core.Service{} },
	"apps/v1 Deployment":                      func() any { return &apps.Deployment{} },
	"policy/v1 PodDisruptionBudget":           func() any { return &policy.PodDisruptionBudget{} },
	"networking.k8s.io/v1 NetworkPolicy":      func() any { return &networking.NetworkPolicy{} },
	"monitoring.coreos.com/v1 ServiceMonitor": func() any { return &monitoring.ServiceMonitor{} },
}

func main() {
	text, err := io.ReadAll(os.Stdin)
	if err != nil {
		fail(err)
	}
	count := 0
	for _, document := range bytes.Split(text, []byte("\n---\n")) {
		var head meta.TypeMeta
		if err := yaml.Unmarshal(document, &head); err != nil {
			fail(err)
		}
		if head.Kind == "" {
			continue
		}
		name := head.APIVersion + " " + head.Kind
		create, known := types[name]
		if !known {
			fail(fmt.Errorf("no type for %s", name))
		}
		if err := yaml.UnmarshalStrict(document, create()); err != nil {
			fail(fmt.Errorf("%s: %w", name, err))
		}
		fmt.Println(name)
		count++
	}
	if count == 0 {
		fail(fmt.Errorf("no manifests"))
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
