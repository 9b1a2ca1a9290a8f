# Everything a person or a machine does with this repository. `make help` lists it.
SHELL   := /bin/bash
MODULES := . persist/etcd tools
SYSTEMS := darwin windows freebsd
# A race-enabled program ends a second late unless told not to; hosts and gates are such programs in the tests.
export GORACE := atexit_sleep_ms=0

.DEFAULT_GOAL := help
.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: run
run: ## build everything and run the main job on a small plugin, its owner's death included
	@go run ./tools/demo

.PHONY: build
build: ## put the containlease program into bin/
	@go build -o bin/containlease ./tools/containlease

.PHONY: test
test: ## all tests of all modules, with the race detector; every event in them is held against the table
	@traces=$$(mktemp -d) && trap 'rm -rf '$$traces EXIT && \
	  overlay=$$(cd tools && go run ./traces -overlay $$traces) && \
	  export GOFLAGS="$$GOFLAGS -overlay=$$overlay" CONTAINLEASE_TRACES=$$traces && \
	  for m in $(MODULES); do (cd $$m && go test -race -timeout 40m $(TESTFLAGS) ./...) || exit 1; done && \
	  cd tools && go run ./traces -check $$traces

.PHONY: gen
gen: docs ## write gen/ from the schemas and the tables, and the cases of schema/vectors
	@cd tools && go run ./leasegen -write && go run ./vectorgen -write

.PHONY: docs
docs: ## write gen/docs and gen/model from the tables
	@cd tools && go run ./leasedoc -write

.PHONY: readme
readme: ## run the commands of the READMEs and write their outputs anew
	@cd tools && go run ./readme -write ../README.md
	@cd persist/etcd && go test -count=1 -run '^TestREADME$$' . -update

.PHONY: model
model: ## search the model of the protocol with Spin (two minutes; needs spin and gcc)
	@cd tools && go run ./leasedoc/spin

.PHONY: check
check: drift format vet staticcheck tidy standalone ## drift, format, vet on every system, staticcheck, module tidiness
	@echo "check: all well"

.PHONY: drift
drift: ## fail, with a diff, if gen/ or the vectors are not what the schemas and the tables say
	@(cd tools && go run ./leasegen) || { echo "run: make gen"; exit 1; }
	@(cd tools && go run ./vectorgen) || { echo "run: make gen"; exit 1; }
	@(cd tools && go run ./leasedoc) || { echo "run: make gen"; exit 1; }

.PHONY: format
format: ## fail if gofmt would change a file
	@files=$$(gofmt -l $$(git ls-files '*.go')); test -z "$$files" || { echo "gofmt would change:"; echo "$$files"; exit 1; }

.PHONY: vet
vet: ## go vet for this and the other operating systems
	@for m in $(MODULES); do (cd $$m && go vet ./...) || exit 1; done
	@GOOS=linux go vet -tags faultpoints ./lease/host ./lease/host/testdata/crasher
	@for os in $(SYSTEMS); do for m in $(MODULES); do (cd $$m && GOOS=$$os go vet ./...) || exit 1; done; done

.PHONY: staticcheck
staticcheck: ## staticcheck, a tool of the tools module
	@cd tools && go build -o ../bin/staticcheck honnef.co/go/tools/cmd/staticcheck
	@for m in $(MODULES); do (cd $$m && $(CURDIR)/bin/staticcheck ./...) || exit 1; done

.PHONY: tidy
tidy: ## fail if a go.mod or go.sum is not tidy
	@for m in $(MODULES); do (cd $$m && GOWORK=off go mod tidy -diff) || { echo "run: GOWORK=off go mod tidy, in $$m"; exit 1; }; done

.PHONY: standalone
standalone: ## build every module without the workspace
	@for m in $(MODULES); do (cd $$m && GOWORK=off go build ./... && GOWORK=off go vet ./...) || exit 1; done

.PHONY: conformance
conformance: ## ask independent schema validators about the vectors and 200,000 mutants
	@cd tools && go run ./conformance

.PHONY: fuzz
fuzz: ## each fuzz test for a minute; a crasher becomes a case of tools/vectorgen
	@grep -rl --include='*_test.go' '^func Fuzz' $(MODULES) | xargs -n1 dirname | sort -u | while read d; do \
	  for f in $$(grep -ho '^func Fuzz[A-Za-z]*' $$d/*_test.go | cut -c6-); do \
	    echo "$$d $$f"; (cd $$d && go test -run '^$$' -fuzz "^$$f$$" -fuzztime 60s -fuzzminimizetime 100x .) || exit 1; done; done

.PHONY: explore
explore: ## every crash state, every missing sync, 100,000 schedules of store and of lease, a short simulation (minutes; without the race detector)
	@set -o pipefail; go test -v -timeout 30m -run 'TestEvery|TestMutants|TestSchedules|TestSimulation' ./persist/memory ./persist/persisttest ./lease ./lease/sim \
	  | grep -E '^(ok|FAIL|---)|states|schedules|Error'

.PHONY: simulate
simulate: ## owners, gates, plugins and doctors on a simulated machine: every schedule within the bounds, 20,000 random ones, mutants (a quarter of an hour)
	@go test -v -count=1 -timeout 4h ./lease/sim -args -sim.whole -sim.seeds 20000

.PHONY: bench
bench: ## the targets and the same work by other means, and the table of ways to read a lease, written into BENCHMARKS.md
	@go build -o bin/bench ./tools/bench && bin/bench -o BENCHMARKS.md
	@cd tools && go run ./bench/decode -write

.PHONY: microbench
microbench: ## every benchmark, as Go prints them
	@for m in $(MODULES); do (cd $$m && go test -run '^$$' -bench . -benchmem ./...) || exit 1; done

.PHONY: crash
crash: ## kill and fail real processes at every system call, whole trees of them, and cut their power (five minutes; bin/crash -all for every trial)
	@go build -o bin/crash ./tools/crash && bin/crash

.PHONY: soak
soak: ## many processes and many rounds on one home, for an hour or so
	@go build -o bin/soak ./tools/soak && bin/soak

.PHONY: torment
torment: ## trees of processes, kills and commands at random, 2,000 rounds; and everything printed is typed (twenty minutes)
	@go build -o bin/torment ./tools/torment && bin/torment

.PHONY: cluster
cluster: ## 90 s of a three-node etcd cluster whose leader is killed and stopped, held against etcd's own history
	@cd persist/etcd && go test -count=1 -run '^TestCluster$$' -cluster 90s -v .
