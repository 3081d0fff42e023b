import ImageSearch
import TestSupport
import Testing
import Vision

/// The article "From a folder to a search", compiled and run.
@Suite struct SearchArticleTests {
  @Test("The article's code indexes, searches and compares")
  func articleRuns() throws {
    let album = try Album(scenes: Scene.first(5))
    let (database, folder, photo) = (album.index, album.images, album.path(3))
    let detectorPath = album.folder.file("shapes.wbm")
    try Models.shapeDetector().write(to: detectorPath)

    let analyzer = try ImageAnalyzer(Model(contentsOf: detectorPath))
    let index = try ImageIndex(updating: database, for: analyzer)
    let update = try index.update(folder: folder, with: analyzer)
    print(update.analyzedCount, "images analyzed")
    #expect(update.analyzedCount == 5)

    let layout = Composition(objects: [
      .init(label: "ellipse", box: Box(x: 0.1, y: 0.5, width: 0.3, height: 0.2)),
      .init(label: "triangle", box: Box(x: 0.5, y: 0.1, width: 0.4, height: 0.4)),
    ])
    var query = CompositionQuery(layout)
    query.maximumCost = 100
    let results = try index.search(query)
    print(results[0].path, results[0].match.cost, results[0].match.terms)
    #expect(results.count == 5)

    if let analysis = try index.analysis(ofImage: photo), let detections = analysis.detections {
      let own = Composition(detections, width: analysis.width, height: analysis.height)
      print(try index.search(CompositionQuery(own))[0].path)  // the image itself
    }
    let stored = try #require(try index.analysis(ofImage: photo))
    let own = Composition(
      try #require(stored.detections), width: stored.width, height: stored.height)
    #expect(try index.search(CompositionQuery(own))[0].path == canonicalPath(photo))

    var options = AnalyzeOptions()
    options.features = "conv2d_6"
    let features = try ImageAnalyzer(Model(contentsOf: detectorPath), options: options)
    let sketches = try ImageIndex(inMemoryFor: features)
    try sketches.update(folder: folder, with: features)
    let table = try sketches.featureTable()
    let vector = table.entries[0].features
    let ranking = try table.ranking(by: .cosine, from: vector, excluding: table.entries[0].path)
    print(ranking.matches[0].path, ranking.matches[0].distance)
    #expect(ranking.matches.count == 4 && ranking.unranked.isEmpty)
  }
}
