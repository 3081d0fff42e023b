package import Bytes
package import JSON

/// The images that are most like another one.
package struct SimilarImages {
  /// The image that the others are compared with.
  package let query: String
  /// Its features.
  package let features: [Float]
  /// The nearest images, the nearest first.
  package let matches: [FeatureTable.Match]
  /// All images without a distance.
  package let unranked: [FeatureTable.Unranked]
  /// The most images that are wanted.
  fileprivate let top: Int

  /// The images without a distance that come after the matches, as far as they are wanted.
  package var shownUnranked: some Sequence<FeatureTable.Unranked> {
    unranked.prefix(top - matches.count)
  }

  /// `{"query", "matches": [{"image", "distance"}]}`; the distance is null where there is none,
  /// with a reason.
  package var json: JSONValue {
    let ranked = matches.map { match -> JSONValue in
      .object(["image": .string(match.path), "distance": .real(match.distance)])
    }
    let others = shownUnranked.map { image -> JSONValue in
      .object([
        "image": .string(image.path), "distance": .null, "reason": .string(image.reason),
      ])
    }
    return .object(["query": .string(query), "matches": .array(ranked + others)])
  }
}

extension IndexSource {
  /// Ranks the images of an index by their distance from another one.
  ///
  /// - Parameters:
  ///   - query: The other image's file.
  ///   - table: The features of the index.
  ///   - top: The most images that are returned.
  package func images(
    like query: String, in table: FeatureTable, by metric: FeatureDistance, top: Int
  ) throws(WeighbridgeError) -> SimilarImages {
    let features = try analysis(ofImage: query).features ?? []
    let ranking: FeatureTable.Ranking
    do throws(WeighbridgeError) {
      ranking = try table.ranking(by: metric, from: features, excluding: canonicalPath(query))
    } catch {
      throw error.at(file: query)
    }
    return SimilarImages(
      query: query, features: features, matches: Array(ranking.matches.prefix(top)),
      unranked: ranking.unranked, top: top)
  }
}
