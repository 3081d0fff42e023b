import ArgumentParser
import ImageSearch

/// `weighbridge similar`
struct Similar: CancellableCommand {
  static let configuration = CommandConfiguration(
    commandName: "similar",
    abstract: "Finds the images that are most like others, by a model's features.",
    discussion: """
      The features are what a model makes of an image: a classifier without its last layers, for \
      example. The cosine distance is 1 - a·b / (|a| |b|). Images that have no distance (all features \
      are 0, or the image cannot be read) come last and are named. An image is not compared with \
      itself.

      Example:
        weighbridge cut sketches.wbm --output dense_1 -o features.wbm
        weighbridge similar star.png --in sketches --model features.wbm --plot plots
      """)

  @Argument(help: ArgumentHelp("JPEG and PNG files.", valueName: "query"))
  var queries: [String]

  @Option(
    name: .customLong("in"),
    help: ArgumentHelp(
      "An index that `index` made, or a folder of images.", valueName: "photos.db"))
  var source: String

  @Option(
    help: ArgumentHelp(
      """
      The model, of any format that can be read: for a folder, and for an image that is not in the \
      index.
      """, valueName: "file"))
  var model: String?

  @OptionGroup var ranking: RankingOptions

  @OptionGroup var analysis: AnalysisOptions
  @OptionGroup(title: "Source") var reading: SourceOptions
  @OptionGroup var general: GeneralOptions

  func run(_ cancellation: Cancellation) throws {
    var hasProblems = false
    let source = try IndexSource(
      source, model: model, reading.readOptions, analysis, general, cancellation,
      hasProblems: &hasProblems
    ) { (index) throws(WeighbridgeError) in
      try index.checkHasFeatures()
    }
    let metric = ranking.metric?.value ?? .cosine
    let search = SimilaritySearch(
      source: source, table: try source.index.featureTable(), metric: metric,
      top: ranking.top ?? 10, general: general)
    let results = try search.run(queries)
    if let folder = ranking.plot {
      try SimilarityPlots(folder: folder, metric: metric).write(results, search.table)
    }
    if hasProblems || results.count < queries.count { throw ExitStatus.checkFailed }
  }
}
