import ArgumentParser
import ImageSearch
import JSON

/// `weighbridge search`
struct Search: CancellableCommand {
  static let configuration = CommandConfiguration(
    commandName: "search",
    abstract: "Finds images by the objects in them and where they are.",
    discussion: """
      Prints the images whose cost is below --max-cost, the best first, with each term of it. Wanted \
      objects are assigned to found ones of their class such that the cost is least: exactly for \
      up to 8 objects, else by the Hungarian method and exchanges. The cost is

        2.0 x presence: over the classes, the sum of |wanted - found|
        1.5 x relative position: for each object and the wanted one nearest to it, 1 - the cosine of \
      the angle between their directions as wanted and as found
        1.0 x size: the sum of |square root of the area wanted - found|, as shares of the image
        0.5 x relative size: for the same pairs, |ln of the ratio of sizes wanted / found|, at most 2

      Example:
        weighbridge search --in photos.db --object person:0.1,0.2,0.3,0.6 --object dog:0.5,0.5,0.3,0.4
        weighbridge search --in photos --model yolov3-tiny.wbm --like dog.jpg -o found.png
      """)

  @Option(
    name: .customLong("in"),
    help: ArgumentHelp(
      "An index that `index` made, or a folder of images.", valueName: "photos.db"))
  var source: String

  @Option(
    help: ArgumentHelp(
      """
      The model, of any format that can be read: for a folder, and for an image that is not in the \
      index. One that needs more to be read is converted first.
      """, valueName: "file"))
  var model: String?

  @OptionGroup(title: "Layout") var layout: LayoutOptions

  @OptionGroup(title: "Layout") var objects: ObjectOptions

  @OptionGroup var cost: CostOptions

  @OptionGroup var analysis: AnalysisOptions
  @OptionGroup var general: GeneralOptions

  func validate() throws {
    try layout.check(objects)
    if let weights = cost.weights,
      weights.values.count != 4 || weights.values.contains(where: { $0 < 0 })
    {
      throw ValidationError("--weights takes four numbers, none negative")
    }
    if let output = cost.output, ImageFormat(fileName: output) == nil {
      throw ValidationError("the sheet's name ends in neither .png nor .jpg")
    }
  }

  func run(_ cancellation: Cancellation) throws {
    // Here --weights is for the cost, so there are no source options: a model that needs them must
    // be converted first.
    var hasProblems = false
    let source = try IndexSource(
      source, model: model, ReadOptions(), analysis, general, cancellation,
      hasProblems: &hasProblems
    ) { (index) throws(WeighbridgeError) in
      try index.checkHasDetections()
    }
    var query = CompositionQuery(try layout.composition(objects, source))
    query.classes = cost.classes?.names
    query.maximumCost = cost.maxCost ?? query.maximumCost
    if let values = cost.weights?.values {
      query.weights = CompositionWeights(
        presence: values[0], relativePosition: values[1], size: values[2], relativeSize: values[3])
    }
    query.maximumCount = cost.top
    let results = try source.index.search(query, threads: analysis.preparation.threading.threads)
    if general.json {
      Console.printLine(JSONValue.array(results.map(\.json)).text(indented: true))
    } else {
      Console.printLine(results.text(query))
    }
    if let output = cost.output {
      try writeSheet(query.composition, results, source, to: output)
    }
    if hasProblems { throw ExitStatus.checkFailed }
  }

  /// Draws the first images; one that can no longer be read is reported and left out.
  private func writeSheet(
    _ wanted: Composition, _ results: [CompositionResult], _ source: IndexSource, to path: String
  ) throws(WeighbridgeError) {
    let sheet = CompositionSheet(
      wanted: wanted, results: results, labels: source.index.contents.labels
    ) { error in
      Console.message("error: \(error)")
    }
    try sheet.write(to: path)
    let count = CompositionSheet.imageCount
    if results.count > count, !general.quiet {
      Console.message("\(path): the first \(count) of \(results.count) images")
    }
  }
}
