import Bytes
public import CWeighbridge
import ImageSearch
import JSON
import Vision
import Weighbridge

/// `weighbridge_index_update`
@_cdecl("weighbridge_index_update")
public func updateIndex(
  _ index: UnsafePointer<CChar>?, _ folder: UnsafePointer<CChar>?, _ model: weighbridge_model,
  _ options: UnsafePointer<weighbridge_index_options>?,
  _ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
  _ error: UnsafeMutablePointer<weighbridge_error>?
) -> weighbridge_status {
  perform(error) {
    let result = try required(json, "json")
    let (indexPath, folder) = (try path(index, "index"), try path(folder, "folder"))
    let cOptions = try weighbridge_index_options(options)
    let settings = try AnalysisSettings(cOptions.analyze)
    let analyzer = try settings.analyzer(try OpenModel.of(model).model)
    let index = try ImageIndex(
      updating: indexPath, for: analyzer, rebuild: cOptions.rebuild != 0)
    let update = try index.update(folder: folder, with: analyzer, options: settings.update)
    result.pointee = try copy(update.json(indexPath))
  }
}

/// `weighbridge_index_similar`
@_cdecl("weighbridge_index_similar")
public func findSimilar(
  _ index: UnsafePointer<CChar>?, _ model: weighbridge_model,
  _ queries: UnsafePointer<UnsafePointer<CChar>?>?, _ count: Int,
  _ options: UnsafePointer<weighbridge_similar_options>?,
  _ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
  _ error: UnsafeMutablePointer<weighbridge_error>?
) -> weighbridge_status {
  perform(error) {
    let result = try required(json, "json")
    let queries = try strings(queries, count, "queries")
    let cOptions = try weighbridge_similar_options(options)
    let metric: FeatureDistance = try enumeration(cOptions.metric, "metric") ?? .cosine
    let top = try number(cOptions.top, "top") ?? 10
    let source = try AnalysisSettings(cOptions.analyze)
      .source(try path(index, "index"), model) { (index) throws(WeighbridgeError) in
        try index.checkHasFeatures()
      }
    let table = try source.index.featureTable()
    let found = try queries.map { query in
      try source.images(like: query, in: table, by: metric, top: top)
    }
    if let folder = try string(cOptions.plot, "plot") {
      try SimilarityPlots(folder: folder, metric: metric).write(found, table)
    }
    result.pointee = try copy(.array(found.map(\.json)))
  }
}

/// `weighbridge_index_search`
@_cdecl("weighbridge_index_search")
public func searchIndex(
  _ index: UnsafePointer<CChar>?, _ model: weighbridge_model,
  _ options: UnsafePointer<weighbridge_search_options>?,
  _ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
  _ error: UnsafeMutablePointer<weighbridge_error>?
) -> weighbridge_status {
  perform(error) {
    let result = try required(json, "json")
    let cOptions = try weighbridge_search_options(options)
    let settings = try AnalysisSettings(cOptions.analyze)
    let source = try settings.source(try path(index, "index"), model) {
      (index) throws(WeighbridgeError) in try index.checkHasDetections()
    }
    let query = try CompositionQuery(cOptions, source)
    let output = try string(cOptions.output, "output")
    guard output.map({ ImageFormat(fileName: $0) != nil }) ?? true else {
      throw Failure.mismatch("the sheet's name ends in neither .png nor .jpg")
    }
    let found = try source.index.search(query, threads: settings.update.threads)
    if let output {
      try CompositionSheet(
        wanted: query.composition, results: found, labels: source.index.contents.labels
      ) { _ in }.write(to: output)
    }
    result.pointee = try copy(.array(found.map(\.json)))
  }
}

extension CompositionQuery {
  fileprivate init(_ cOptions: weighbridge_search_options, _ source: IndexSource) throws {
    let layout = try string(cOptions.layout, "layout")
    let like = try string(cOptions.like, "like")
    let aspect = cOptions.aspect?.pointee ?? 1
    guard aspect > 0, aspect.isFinite else {
      throw Failure.invalidArgument("aspect is \(aspect), which must be above 0")
    }
    switch (layout, like) {
    case (let layout?, nil):
      self.init(
        try Composition(layout: try JSONValue(parsing: Array(layout.utf8)), aspectRatio: aspect))
    case (nil, let like?): self.init(try source.composition(like: like))
    default: throw Failure.invalidArgument("say what is wanted by one of layout and like")
    }
    if cOptions.class_count > 0 {
      classes = try strings(cOptions.classes, cOptions.class_count, "classes")
    }
    maximumCost = cOptions.max_cost?.pointee ?? maximumCost
    maximumCount = try number(cOptions.top, "top")
    if cOptions.weight_count > 0 {
      guard cOptions.weight_count == 4, let numbers = cOptions.weights,
        (0..<4).allSatisfy({ numbers[$0] >= 0 })
      else { throw Failure.invalidArgument("weights are four numbers, none negative") }
      weights = CompositionWeights(
        presence: numbers[0], relativePosition: numbers[1], size: numbers[2],
        relativeSize: numbers[3])
    }
  }
}

/// How images are analyzed, and how many at once.
private struct AnalysisSettings {
  private var options = AnalyzeOptions()
  private(set) var update = UpdateOptions()

  init(_ pointer: UnsafePointer<weighbridge_analyze_options>?) throws {
    var interruption = Interruption()
    options = try AnalyzeOptions(pointer, &interruption)
    update.threads = options.detection.run.threads
    update.cancellation = options.detection.run.cancellation
    options.detection.run.threads = nil
  }

  func analyzer(_ model: Model) throws(WeighbridgeError) -> ImageAnalyzer {
    try ImageAnalyzer(model, options: options)
  }

  /// Opens an index, or analyzes the images of a folder.
  ///
  /// - Parameter handle: The model; 0 for none.
  func source(
    _ path: String, _ handle: weighbridge_model,
    check: (ImageIndex) throws(WeighbridgeError) -> Void
  ) throws -> IndexSource {
    let analyzer = handle == 0 ? nil : try analyzer(try OpenModel.of(handle).model)
    return try IndexSource(path, analyzer, check: check) {
      (index, analyzer) throws(WeighbridgeError) in
      _ = try index.update(folder: path, with: analyzer, options: update)
    }
  }
}
