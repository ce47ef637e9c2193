/* main.c - the smallest program that uses an installed ordo: ranks five scores. */
#include <ordo.h>

#include <stdio.h>

int main(void)
{
    const float score[5] = {1.5f, 2.5f, 2.5f, 4.0f, 9.0f};
    uint32_t    rank[5];
    ordo_ctx   *ctx;

    if (ordo_ctx_create(&ctx, NULL) != ORDO_OK) {
        fprintf(stderr, "%s\n", ordo_last_error(NULL));
        return 2;
    }
    const ordo_status status =
        ordo_rank_sorted(ctx, ORDO_TYPE_OF(score), score, 5, ORDO_U32, rank, NULL);
    if (status != ORDO_OK)
        fprintf(stderr, "%s\n", ordo_last_error(ctx));
    else
        for (int i = 0; i < 5; i++)
            printf(i < 4 ? "%u " : "%u\n", (unsigned)rank[i]);
    ordo_ctx_free(ctx);
    return status == ORDO_OK ? 0 : 2;
}
