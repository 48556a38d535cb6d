package example;

import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.CertificatesApi;
import org.openapitools.client.api.ChangesApi;
import org.openapitools.client.model.RangeFilter;

/** Requests a page from a running service through the client of OpenAPI Generator. */
public class Ask {
  public static void main(String[] args) throws Exception {
    ApiClient client = new ApiClient();
    client.updateBaseUri(args[0]);
    client.setRequestInterceptor(request -> request.header("Authorization", "Bearer " + args[1]));
    var certificates = new CertificatesApi(client);
    var ending = CertificatesApi.APIListCertificatesRequest.newBuilder().validUntil(new RangeFilter().lt("2027-01-01")).build();
    var found = certificates.listCertificates(ending).getData();
    if (found.size() != 1 || !found.get(0).getId().equals("ending")) throw new AssertionError("expected one certificate");
    var follow = ChangesApi.APIFollowChangesRequest.newBuilder().after(args[2]).resources("products").waitSeconds(0).build();
    if (new ChangesApi(client).followChanges(follow).getData().isEmpty()) throw new AssertionError("expected a change");
    try {
      certificates.getCertificate(
          CertificatesApi.APIGetCertificateRequest.newBuilder().id("nothing-here").build());
      throw new AssertionError("expected 404");
    } catch (ApiException error) {
      if (error.getCode() != 404) throw error;
    }
  }
}
