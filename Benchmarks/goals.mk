# The goals of the Makefile that measure. Figures and what they mean: README.md.

inference := .build/inference
bench_build := swift build -c release --package-path Benchmarks --scratch-path .build/benchmarks

bench: MODEL = $(inference)/models/tinyyolo-keras2.h5
bench: $(inference)/models/done bench-files bench-conversion bench-inference bench-search bench-compact

$(inference)/models/done: Benchmarks/Inference/prepare.py $(inference)/done | build
	mkdir -p $(@D)
	$(inference)/bin/python $< $(program) $(@D)
	touch $@

bench-files: build
	$(bench_build) --product ConversionBenchmark
	.build/benchmarks/release/ConversionBenchmark $(program) $(MODEL)

bench-inference: build $(inference)/models/done
	$(bench_build) --product FMAPeak
	$(inference)/bin/python Benchmarks/Inference/measure.py $(program) $(inference)/models $(BENCH_OPTIONS)
	for model in $(inference)/models/tinyyolo $(inference)/models/resnet50; do \
	  $(inference)/bin/python Benchmarks/Inference/peak.py $(program) $$model.wbm $$model-1.npy \
	    .build/benchmarks/release/FMAPeak; \
	done

bench-reference: build $(inference)/done
	$(inference)/bin/python Benchmarks/Reference/measure.py $(program)

bench-conversion: build .build/conversion/done
	.build/conversion/bin/python Benchmarks/Conversion/measure.py $(program) $(MODEL)

bench-search: build .build/search/done
	.build/search/bin/python Benchmarks/Search/measure.py $(program)

# Trained yolov3-tiny.weights; `fetch.sh` next to the fixture's .cfg says where to get them.
bench-compact: WEIGHTS = .cache/yolov3-tiny/yolov3-tiny.weights
bench-compact: FIXTURES = ../shared/fixtures
bench-compact: build .build/compaction/done .build/compaction/models/lstm/model.h5
	.build/compaction/bin/python Benchmarks/Compaction/prepare.py $(program) $(FIXTURES) $(WEIGHTS) .build/compaction/models
	.build/compaction/bin/python Benchmarks/Compaction/compare.py $(program) .build/compaction/models \
	  .build/compaction/compared.json $(COMPACT_MODELS)

# After bench-compact, with a folder of at least 20 photos of different sources.
bench-bound: build
	.build/compaction/bin/python Benchmarks/Compaction/bound.py $(program) .build/compaction/models $(PHOTOS) \
	  .build/compaction/bound.json $(COMPACT_MODELS)

# After bench-compact.
bench-targets: build
	.build/compaction/bin/python Benchmarks/Compaction/targets.py $(program) .build/compaction/models $(COMPACT_MODELS)

.build/compaction/models/lstm/model.h5: Benchmarks/Compaction/train_lstm.py $(inference)/done
	mkdir -p $(@D)
	$(inference)/bin/python $< $@ $(@D)/texts

bench-python: test-wheel
	$(wheel_folder)/environment/bin/python Benchmarks/Python/measure.py

bench-cluster: $(cluster)/done wheel
	$(cluster)/bin/pip install -q --force-reinstall --no-deps $(wheel_folder)/dist/*.whl
	$(cluster)/bin/python Benchmarks/Python/cluster.py
